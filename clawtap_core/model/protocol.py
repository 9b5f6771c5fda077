"""Machine protocols: the messages to and from a CLI that runs over stdio.

An adapter's `Peer` speaks one CLI's protocol without I/O; the core runs the program, carries the
bytes, and turns the peer's events into prompts, states and events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from clawtap_core.model.adapter import Action
from clawtap_core.model.conversation import AgentEvent, Message
from clawtap_core.model.prompt import PromptForm, Response
from clawtap_core.model.session import SessionState


@dataclass(frozen=True, slots=True)
class PromptRequested:
    """The CLI asks; `call` names the request in `Peer.answer` and `RequestCancelled`.

    The same call, reported again while it waits, updates the prompt.
    """

    call: str
    form: PromptForm


@dataclass(frozen=True, slots=True)
class RequestCancelled:
    """A request that ended without our answer.

    `elsewhere`: another client of the same CLI answered it; otherwise the CLI withdrew it.
    """

    call: str
    elsewhere: bool = False
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """New facts about the session; None: nothing new.

    `state` is idle or busy; the core knows by itself that a prompt waits. Going from busy to idle
    ends the turn (the event `done`, written by the core). A CLI that refuses to start is ended:
    report its `session_error` first.
    """

    state: SessionState | None = None
    cli_session_id: str | None = None
    cli_version: str | None = None
    mode: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes for the CLI. `receipt` names the `Ack` that confirms them.

    Without one, written bytes count as delivered.
    """

    data: bytes
    receipt: str | None = None


@dataclass(frozen=True, slots=True)
class Ack:
    """The CLI accepted what was sent with this receipt, or refused it (`error`: its words)."""

    receipt: str
    error: str | None = None


# What a peer reports. `Write`: a reply to write at once, to a request that it handles.
PeerEvent = PromptRequested | RequestCancelled | SessionFacts | Ack | Write | Message | AgentEvent


class Peer(Protocol):
    """The sans-I/O side of one conversation. Calls come one at a time and must not wait.

    `message`, `answer` and `control` return None for what this CLI cannot do (the user gets a 422).
    """

    def open(self) -> bytes:
        """Return what to write first."""

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """Return what new bytes say, in order; they may be split anywhere. b"" ends the stream.

        Report a broken or unknown line as an `AgentEvent` or skip it; never raise.
        """

    def message(self, text: str) -> Write | None:
        """Send a user's message; the core does so only while the session is idle."""

    def answer(self, call: str, response: Response) -> Write | None:
        """Answer a request, in the normal form of its `PromptRequested.form`."""

    def control(self, action: Action) -> Write | None:
        """Interrupt, or switch mode or model."""


@dataclass(frozen=True, slots=True)
class HttpServer:
    """The HTTP server of a CLI, on 127.0.0.1; `events` is the path of its event stream.

    `port`: None for the only one that the processes of the CLI listen on. The password is sent
    by HTTP's basic authentication.
    """

    events: str
    port: int | None = None
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Daemon:
    """A server that a CLI in a pane shares, and the peer that speaks to it.

    `server`: the path of its UNIX socket, or its HTTP server. The peer reports only the requests
    of this pane's conversation, and refuses nothing.
    """

    server: str | HttpServer
    peer: Peer
