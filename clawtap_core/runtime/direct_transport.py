"""The Transport of the runtime in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from clawtap_core.model import (
    Actor,
    AdapterStatus,
    Attachment,
    Event,
    Folder,
    Interrupt,
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
    SwitchMode,
    SwitchModel,
)
from clawtap_core.transport import AnswerShortcuts, always

if TYPE_CHECKING:
    from clawtap_core.runtime.service import Runtime


class DirectTransport(AnswerShortcuts):
    """The operations of the runtime, on behalf of one actor."""

    def __init__(self, agent: Runtime, actor: Actor | None = None) -> None:
        self._agent = agent
        self._actor = actor or Actor()

    def adapters(self) -> Sequence[AdapterStatus]:
        """Return every adapter with its capabilities."""
        return self._agent.inventory.adapters()

    def plugins(self) -> Sequence[PluginStatus]:
        """Return every plugin's health."""
        return self._agent.inventory.plugins()

    def panes(self) -> Sequence[PaneInfo]:
        """Return the panes that can be adopted."""
        return self._agent.inventory.panes()

    def folders(self) -> Sequence[Folder]:
        """Return the folders of sessions, newest first."""
        return self._agent.inventory.folders()

    def sessions(self) -> Sequence[Session]:
        """Return every session, latest activity first."""
        return self._agent.store.sessions()

    def session(self, session_id: str) -> Session:
        """Return one session."""
        return self._agent.store.session(session_id)

    def start(self, request: LaunchRequest) -> Session:
        """Start a CLI; queue a first message that its arguments do not carry."""
        return self._agent.start(request, self._actor)

    def adopt(self, pane: str, adapter: str | None = None) -> Session:
        """Watch a pane that a user started."""
        return self._agent.terminal.adopt(pane, adapter)

    def rename(self, session_id: str, title: str) -> Session:
        """Change a session's title."""
        return self._agent.rename(session_id, title)

    def end(self, session_id: str) -> None:
        """End a launched session, release an adopted one, or remove an ended one."""
        self._agent.end(session_id, self._actor)

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> Sent:
        """Send a message with attachments, or queue it."""
        return self._agent.message(session_id, text, attachments, self._actor)

    def attach(self, session_id: str, name: str, data: bytes) -> Attachment:
        """Store a file to attach to a message."""
        return self._agent.attachments.take(session_id, name, data)

    def detach(self, session_id: str, attachment_id: str) -> None:
        """Delete a file; Conflict if a queued message needs it."""
        self._agent.attachments.remove(session_id, attachment_id)

    def messages(
        self,
        session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> MessagePage:
        """Return the last messages of a conversation, or those before or after one."""
        return self._agent.conversations.messages(session_id, before, after, limit)

    def history(
        self, *, adapter: str | None = None, cwd: str | None = None, limit: int = 50
    ) -> Sequence[StoredSession]:
        """Return stored conversations, newest first."""
        return self._agent.history.list(adapter, cwd, limit)

    def stored(
        self, adapter: str, cli_session_id: str, *, before: str | None = None, limit: int = 50
    ) -> StoredConversation:
        """Return a stored conversation with its last messages, or those before one."""
        return self._agent.history.read(adapter, cli_session_id, before, limit)

    def queue(self, session_id: str) -> Sequence[QueuedMessage]:
        """Return a session's queued messages."""
        self._agent.store.session(session_id)
        return self._agent.store.queue(session_id)

    def edit_queued(self, session_id: str, message_id: str, text: str) -> QueuedMessage:
        """Change a queued message."""
        return self._agent.messages.edit(session_id, message_id, text, self._actor)

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""
        self._agent.messages.take_back(session_id, message_id, self._actor)

    def pending(self, session_id: str | None = None) -> Sequence[Prompt]:
        """Return open prompts, oldest first."""
        if session_id is not None:
            self._agent.store.session(session_id)
        return self._agent.store.open_prompts(session_id)

    def prompt(self, request_id: str) -> Prompt:
        """Return one prompt, ended or not."""
        return self._agent.store.find_prompt(request_id)

    def respond(self, session_id: str, response: Response) -> Prompt:
        """Deliver an answer and return the resolved prompt."""
        return self._agent.respond(session_id, response, self._actor)

    def ask(
        self, form: PromptForm, *, asker: str | None = None, seconds: float | None = None
    ) -> Prompt:
        """Open a prompt of another program."""
        return self._agent.external.ask(form, self._actor, asker=asker, seconds=seconds)

    def wait(
        self, request_id: str, seconds: float, *, wanted: Callable[[], bool] = always
    ) -> Prompt:
        """Return a prompt when it has ended, or after `seconds`."""
        return self._agent.external.wait(request_id, seconds, wanted)

    def extend(self, request_id: str, seconds: float | None = None) -> Prompt:
        """Extend a prompt's deadline."""
        return self._agent.offscreen.extend(request_id, seconds)

    def withdraw(self, request_id: str) -> Prompt:
        """Cancel a prompt of another program."""
        return self._agent.external.withdraw(request_id, self._actor)

    def expand(self, session_id: str, request_id: str) -> Prompt:
        """Read the options that a scrolling list hides."""
        return self._agent.terminal.expand(session_id, request_id)

    def screen(self, session_id: str) -> Screen:
        """Return the pane's screen."""
        return self._agent.terminal.screen(session_id)

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> Screen:
        """Press keys or type text, if the screen still has this revision."""
        return self._agent.terminal.keys(session_id, revision, keys, text, self._actor)

    def interrupt(self, session_id: str) -> Session:
        """Interrupt a busy session."""
        return self._agent.control(session_id, Interrupt(), self._actor)

    def permission_mode(self, session_id: str, mode: str) -> Session:
        """Switch the permission mode."""
        return self._agent.control(session_id, SwitchMode(mode), self._actor)

    def model(self, session_id: str, model: str) -> Session:
        """Switch the model."""
        return self._agent.control(session_id, SwitchModel(model), self._actor)

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> JournalPage:
        """Return journalled events, oldest first."""
        journal = self._agent.store.journal
        return JournalPage(tuple(journal.read(after, limit, session_id)), journal.last)

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        """Return the current state, of all sessions or of one."""
        return self._agent.store.snapshot(session_id)

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[Event | None]:
        """Yield events after a cursor as they come."""
        if session_id is not None:
            self._agent.store.session(session_id)
        return self._agent.store.read_events(after, session_id, screens, idle)
