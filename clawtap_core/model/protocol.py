"""Machine protocols: what a CLI that is run over stdio says, and what is said to it.

An adapter's `Peer` speaks one CLI's protocol without any I/O; the core runs the program, carries
the bytes, and makes prompts, states and events of what the peer heard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from clawtap_core.model.adapter import Action
from clawtap_core.model.conversation import AgentEvent, Message
from clawtap_core.model.prompt import PromptForm, Response
from clawtap_core.model.session import SessionState


@dataclass(frozen=True, slots=True)
class PromptRequested:
    """The CLI asks: `call` names the request in `Peer.answer` and in `RequestCancelled`.

    The same call heard again, while it waits, brings the same prompt up to date.
    """

    call: str
    form: PromptForm


@dataclass(frozen=True, slots=True)
class RequestCancelled:
    """A request waits no more, and not by an answer of ours.

    `elsewhere`: another client of the same CLI answered it; else the CLI took it back.
    """

    call: str
    elsewhere: bool = False
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What became known of the session; None: nothing new.

    `state` is idle or busy: that a prompt waits the core knows by itself. A session that goes
    from busy to idle has ended its turn (the event `done`, which the core writes). A CLI that
    refuses to begin is ended: tell its `session_error` first.
    """

    state: SessionState | None = None
    cli_session_id: str | None = None
    cli_version: str | None = None
    mode: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes for the CLI. `receipt` names the `Ack` that says that it took them, if it does.

    Without one, what was written counts as delivered.
    """

    data: bytes
    receipt: str | None = None


@dataclass(frozen=True, slots=True)
class Ack:
    """The CLI took what was sent with this receipt, or refused it (`error`: its own words)."""

    receipt: str
    error: str | None = None


PeerEvent = PromptRequested | RequestCancelled | SessionFacts | Ack | Write | Message | AgentEvent
"""What a peer hears. `Write`: to be written at once, as the reply to a request it handles."""


class Peer(Protocol):
    """The sans-I/O side of one conversation. One call at a time; no call waits for anything.

    `message`, `answer` and `control` return None for what this CLI cannot do (the user gets a 422).
    """

    def open(self) -> bytes:
        """What to write first."""

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """What new bytes of the CLI say, in order; they may be split anywhere. b"": no more come.

        A broken or unknown line is told as an `AgentEvent` or skipped, never raised.
        """

    def message(self, text: str) -> Write | None:
        """A user's message. The core sends one only while the session is idle."""

    def answer(self, call: str, response: Response) -> Write | None:
        """The answer to a request, in the normal form that `PromptRequested.form` asked for."""

    def control(self, action: Action) -> Write | None:
        """Interrupt, or a switch of mode or model."""


@dataclass(frozen=True, slots=True)
class Daemon:
    """A server that a CLI in a pane shares: its socket, and the peer that speaks to it.

    The peer tells the requests of this pane's conversation only, and refuses nothing.
    """

    socket: str
    peer: Peer
