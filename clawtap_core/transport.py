"""The interface between the runtime and its clients.

`Transport` is all that the server knows of sessions and prompts. `DirectTransport` reaches the
runtime in this process on behalf of one actor, `HttpTransport` a server elsewhere.
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
    """Return True."""
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
    """Everything a user can see and do; errors are ClawTapErrors."""

    def adapters(self) -> Sequence[AdapterStatus]:
        """Return every adapter with its capabilities."""

    def plugins(self) -> Sequence[PluginStatus]:
        """Return every plugin's health."""

    def panes(self) -> Sequence[PaneInfo]:
        """Return the panes that could be adopted."""

    def folders(self) -> Sequence[Folder]:
        """Return folders used before, newest first."""

    def sessions(self) -> Sequence[Session]:
        """Return every session, newest activity first."""

    def session(self, session_id: str) -> Session:
        """Return a session."""

    def start(self, request: LaunchRequest) -> Session:
        """Start a CLI in a pane of its own."""

    def adopt(self, pane: str, adapter: str | None = None) -> Session:
        """Watch a pane that a user started; by default the adapter is chosen by its program."""

    def rename(self, session_id: str, title: str) -> Session:
        """Rename a session."""

    def end(self, session_id: str) -> None:
        """End a launched session, or release an adopted one."""

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> Sent:
        """Send a message, or queue it until the composer is idle and empty.

        `attachments` are ids from `attach`.
        """

    def attach(self, session_id: str, name: str, data: bytes) -> Attachment:
        """Store a file on the session's machine for a later message."""

    def detach(self, session_id: str, attachment_id: str) -> None:
        """Delete a file that no queued message needs."""

    def messages(
        self,
        session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> MessagePage:
        """Return the last messages of the conversation, or those before or after an id."""

    def history(
        self, *, adapter: str | None = None, cwd: str | None = None, limit: int = 50
    ) -> Sequence[StoredSession]:
        """Return the conversations that CLIs have stored, newest first."""

    def stored(
        self, adapter: str, cli_session_id: str, *, before: str | None = None, limit: int = 50
    ) -> StoredConversation:
        """Return a stored conversation with its last messages, or those before an id."""

    def queue(self, session_id: str) -> Sequence[QueuedMessage]:
        """Return the queued messages."""

    def edit_queued(self, session_id: str, message_id: str, text: str) -> QueuedMessage:
        """Change a queued message."""

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""

    def pending(self, session_id: str | None = None) -> Sequence[Prompt]:
        """Return open prompts, oldest first."""

    def prompt(self, request_id: str) -> Prompt:
        """Return a prompt by its requestId or toolCallId, open or ended."""

    def ask(
        self, form: PromptForm, *, asker: str | None = None, seconds: float | None = None
    ) -> Prompt:
        """Ask a question for the program `asker`; `wait` returns the answer.

        It expires after `seconds` (0: never; None: the default for its kind). Raises BadRequest
        for a form that nobody could answer, TooManyRequests.
        """

    def wait(
        self, request_id: str, seconds: float, *, listening: Callable[[], bool] = always
    ) -> Prompt:
        """Return a prompt to the program that asked, once it ends or after `seconds`.

        Answers to secret questions are included once, and only while `listening` is true.
        """

    def extend(self, request_id: str, seconds: float | None = None) -> Prompt:
        """Let a prompt expire `seconds` from now (0: never; None: the default for its kind)."""

    def withdraw(self, request_id: str) -> Prompt:
        """Cancel a program's prompt; raise Impossible for one of a CLI."""

    def expand(self, session_id: str, request_id: str) -> Prompt:
        """Read the options that a scrolling list hides."""

    def screen(self, session_id: str) -> Screen:
        """Return the screen of the session's pane."""

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> Screen:
        """Press keys or type text if the screen is still at `revision`; return the new screen."""

    def interrupt(self, session_id: str) -> Session:
        """Interrupt a busy session."""

    def permission_mode(self, session_id: str, mode: str) -> Session:
        """Switch the permission mode and return the session with the mode on screen."""

    def model(self, session_id: str, model: str) -> Session:
        """Switch the model."""

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> JournalPage:
        """Return past events, oldest first."""

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        """Return the current state."""

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[Event | None]:
        """Yield events after a cursor as they come, and None after `idle` seconds without one.

        Without a cursor, or with one of another epoch or too old, the first event is a
        `snapshot`. `screens` adds the `screen` events of `session_id`. The iterator ends when
        the reader falls too far behind or the runtime stops; call again with the last cursor.
        """


class HookSink(Protocol):
    """Receives what CLI hooks report."""

    def report(self, call: HookCall, gone: Callable[[], bool]) -> Mapping[str, Any] | None:
        """Return the hook's reply to its CLI, or None, which may have to wait for an answer.

        `gone` returns whether the CLI has ended the hook in the meantime.
        """
