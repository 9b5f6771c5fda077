"""Where the agent side and the web side meet.

`Transport` is all that the server knows of sessions and prompts. `DirectTransport` reaches the
agent side in this process, on behalf of one actor; `HttpTransport` (clawtap_core.client) a
server elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from clawtap_core.model import (
    AdapterStatus,
    Answer,
    Attachment,
    Event,
    Folder,
    HookCall,
    JournalPage,
    LaunchRequest,
    MessagePage,
    PaneInfo,
    PluginStatus,
    Prompt,
    PromptForm,
    QueuedMessage,
    Response,
    Screen,
    Sent,
    Session,
    Snapshot,
    StoredConversation,
    StoredSession,
)


def always() -> bool:
    """Return True: whoever waits is there to the end."""
    return True


class AnswerShortcuts(Protocol):
    """The usual answers, as calls of `respond`; every Transport has them."""

    def respond(self, session_id: str, response: Response) -> Prompt:
        """Deliver an answer and return the resolved prompt once the CLI has taken it.

        `response.request_id` may be a toolCallId. Raises NotFound, BadRequest (not offered,
        wrong kind), Conflict (answered, changed), Impossible, NotConfirmed.
        """

    def approve(
        self,
        session_id: str,
        request_id: str,
        *,
        option: str | None = None,
        reason: str | None = None,
    ) -> Prompt:
        """Approve by the option that allows once, or by `option`."""
        decision = None if option else "approve"
        return self.respond(session_id, Response(request_id, option, None, {}, reason, decision))

    def deny(self, session_id: str, request_id: str, *, reason: str | None = None) -> Prompt:
        """Deny, with an optional reason."""
        return self.respond(session_id, Response(request_id, reason=reason, decision="deny"))

    def submit_answers(
        self, session_id: str, request_id: str, answers: Mapping[str, Answer]
    ) -> Prompt:
        """Answer every question, keyed "0", "1", …, at once."""
        return self.respond(session_id, Response(request_id, answers=answers))


class Transport(AnswerShortcuts, Protocol):
    """Everything a user can see and do. Errors are ClawTapErrors with their code."""

    def adapters(self) -> Sequence[AdapterStatus]:
        """Every adapter with its capabilities."""

    def plugins(self) -> Sequence[PluginStatus]:
        """Every plugin's health."""

    def panes(self) -> Sequence[PaneInfo]:
        """Panes that could be adopted."""

    def folders(self) -> Sequence[Folder]:
        """Folders used before, newest first."""

    def sessions(self) -> Sequence[Session]:
        """Every session, newest activity first."""

    def session(self, session_id: str) -> Session:
        """One session."""

    def start(self, request: LaunchRequest) -> Session:
        """Start a CLI in a pane of its own."""

    def adopt(self, pane: str, adapter: str | None = None) -> Session:
        """Watch a pane that a user started; without an adapter, the one that knows its program."""

    def rename(self, session_id: str, title: str) -> Session:
        """Give a session another title."""

    def end(self, session_id: str) -> None:
        """End a launched session; let go of an adopted one."""

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> Sent:
        """Send a message, or queue it until the composer is idle and empty.

        `attachments`: ids of files that were attached before.
        """

    def attach(self, session_id: str, name: str, data: bytes) -> Attachment:
        """Keep a file on the session's machine, for a message to go with."""

    def detach(self, session_id: str, attachment_id: str) -> None:
        """Throw a file away that no queued message needs."""

    def messages(
        self,
        session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> MessagePage:
        """The last messages of the conversation, those before one id, or those after one."""

    def history(
        self, *, adapter: str | None = None, cwd: str | None = None, limit: int = 50
    ) -> Sequence[StoredSession]:
        """The conversations that the CLIs keep, newest first."""

    def stored(
        self, adapter: str, cli_session_id: str, *, before: str | None = None, limit: int = 50
    ) -> StoredConversation:
        """One stored conversation and its last messages, or those before one id."""

    def queue(self, session_id: str) -> Sequence[QueuedMessage]:
        """What is queued."""

    def edit_queued(self, session_id: str, message_id: str, text: str) -> QueuedMessage:
        """Change a queued message."""

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""

    def pending(self, session_id: str | None = None) -> Sequence[Prompt]:
        """Prompts that wait, oldest first."""

    def prompt(self, request_id: str) -> Prompt:
        """One prompt by its requestId or toolCallId, ended or not."""

    def ask(
        self, form: PromptForm, *, asker: str | None = None, seconds: float | None = None
    ) -> Prompt:
        """Ask something, as a program of this name; wait for the answer with `wait`.

        `seconds`: how long it waits, 0 for ever; None: as long as its kind does. Raises BadRequest
        for a form that nobody could answer, TooManyRequests.
        """

    def wait(
        self, request_id: str, seconds: float, *, wanted: Callable[[], bool] = always
    ) -> Prompt:
        """Return a prompt for the program that asked it, once it ended or `seconds` have passed.

        Answers to secret questions are in it, once, and only while `wanted` is true.
        """

    def extend(self, request_id: str, seconds: float | None = None) -> Prompt:
        """Let a prompt wait for so many seconds from now, 0 for ever; None: as its kind does."""

    def withdraw(self, request_id: str) -> Prompt:
        """Take back what a program asked: it is cancelled. Impossible for what a CLI asks."""

    def expand(self, session_id: str, request_id: str) -> Prompt:
        """Read the options that a scrolling list hides."""

    def screen(self, session_id: str) -> Screen:
        """What the session's pane shows now."""

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> Screen:
        """Press keys or type text, if the screen still has this revision; the screen after."""

    def interrupt(self, session_id: str) -> Session:
        """Stop what a busy session does."""

    def permission_mode(self, session_id: str, mode: str) -> Session:
        """Switch the permission mode; the session says which one the screen shows then."""

    def model(self, session_id: str, model: str) -> Session:
        """Switch the model."""

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> JournalPage:
        """What happened, oldest first."""

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        """All that is now."""

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[Event | None]:
        """Events after a cursor as they come, None after each `idle` seconds without one.

        Without a cursor, or with one of another epoch or too old, the first event is a
        `snapshot`. `screens` adds the `screen` events of `session_id`. The iterator ends when
        the reader fell too far behind, or when the agent side stops: ask again with the last
        cursor.
        """


class HookSink(Protocol):
    """Where CLIs report by their hooks, in this process: no user sends these."""

    def report(self, call: HookCall, gone: Callable[[], bool]) -> Mapping[str, Any] | None:
        """What the hook returns to its CLI; None for nothing.

        It may take until somebody answers. `gone`: whether the CLI has ended the hook meanwhile.
        """
