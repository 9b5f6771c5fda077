"""The agent side: everything that a Transport offers, over panes, journal and plugins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from clawtap_core.config.settings import TIMEOUT, same_timeout
from clawtap_core.errors import BadRequest, ClawTapError, Conflict, ErrorCode, Impossible
from clawtap_core.host import Adapter, Host
from clawtap_core.journal.api import Journal
from clawtap_core.model import (
    Action,
    Actor,
    Kind,
    LaunchRequest,
    Prompt,
    PromptState,
    Response,
    Screen,
    Sent,
    Session,
    SwitchMode,
    SwitchModel,
)
from clawtap_core.runtime.actions import answer, control
from clawtap_core.runtime.actions.attachment_store import Attachments
from clawtap_core.runtime.actions.attachments import SessionAttachments
from clawtap_core.runtime.actions.messages import MessageQueue, sendable
from clawtap_core.runtime.actions.startup_dialogs import StartupDialogs
from clawtap_core.runtime.cli_hooks.binding import ConversationBinder
from clawtap_core.runtime.cli_hooks.dispatcher import HookDispatcher
from clawtap_core.runtime.cli_hooks.sessions import CHANNEL as HOOK
from clawtap_core.runtime.cli_hooks.sessions import HookSessions
from clawtap_core.runtime.cli_hooks.shared_daemon import Daemons
from clawtap_core.runtime.cli_versions import Versions
from clawtap_core.runtime.conversations.history import History
from clawtap_core.runtime.conversations.service import Conversations
from clawtap_core.runtime.direct_transport import DirectTransport
from clawtap_core.runtime.external.sessions import EXTERNAL, ExternalPrograms
from clawtap_core.runtime.inventory import Inventory
from clawtap_core.runtime.notifications import Notifier
from clawtap_core.runtime.panes.manager import PaneSessions
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.protocol.manager import CHANNEL, Protocols
from clawtap_core.runtime.protocol.session import ProtocolSession
from clawtap_core.runtime.state.offscreen_prompts import OffscreenPrompts
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.terminal.api import Terminal


class Runtime:
    """The side that holds the sessions. `env`: what CLIs inherit; `trust_folders`: ask, always.

    `timeouts`: for how many seconds a prompt of each kind waits that no pane shows, 0 for ever.
    `files`: where files are kept that users give to sessions; without it, none are taken.
    """

    def __init__(
        self,
        host: Host,
        terminal: Terminal,
        journal: Journal,
        *,
        env: Mapping[str, str],
        trust_folders: str = "ask",
        timeouts: Mapping[Kind, float] | None = None,
        files: Path | None = None,
    ) -> None:
        self._host = host
        self._terminal = terminal
        self._journal = journal
        self._notifier = Notifier(host)
        self.store = StateStore(journal)
        self._dialogs = StartupDialogs(self.store, trust_folders)
        self._daemons = Daemons(env, lambda name: self.sessions.live.get(name))
        self.sessions = PaneSessions(self.store, host, terminal, self._make, env)
        versions = Versions(env)
        self.conversations = Conversations(self.store, host, env, self.sessions.live.get, versions)
        self.asked = OffscreenPrompts(self.store, timeouts or same_timeout(TIMEOUT))
        self.external = ExternalPrograms(self.store, self.asked)
        self.protocols = Protocols(
            self.store, host, self.asked, self.conversations, env, self._flush
        )
        self.given = SessionAttachments(self.store, Attachments(files), self.protocols.resumable)
        self.here = Inventory(self.store, host, terminal, self.sessions, versions)
        self.messages = MessageQueue(self.store, self._running, self._wake)
        self.history = History(self.store, host, self.conversations)
        self.hooks = HookDispatcher(
            self.store,
            host,
            self.sessions.live,
            tmux=terminal.server,
            timeouts=timeouts or same_timeout(TIMEOUT),
            outside=HookSessions(self.store, self.asked, self.conversations),
            bound=ConversationBinder(self.store, self.conversations),
            spoken=self.protocols.speaks,
        )
        for listener in (
            self._notifier.told,
            self.conversations.told,
            self.given.told,
            self._daemons.told,
        ):
            self.store.subscribe(listener)
        for session in self.store.sessions():
            self.messages.settle(session.id)
        self.sessions.restore()
        self.protocols.restore()
        self.hooks.restore()
        self.external.restore()
        self.given.tidy()
        self.asked.start()

    def transport(self, actor: Actor | None = None) -> DirectTransport:
        """What one actor sees and does."""
        return DirectTransport(self, actor or Actor())

    def close(self) -> None:
        """Let go of every pane and stop: CLIs in panes stay, those that are spoken to end."""
        self.hooks.close()
        self._daemons.close()
        self.store.close()
        self.protocols.close()
        self.asked.close()
        self.conversations.close()
        self.sessions.close()
        self._terminal.close()
        self._notifier.close()
        self._journal.close()

    # Sessions

    def start(self, request: LaunchRequest, actor: Actor) -> Session:
        """Start a CLI; a first message that its arguments do not carry is queued."""
        blank = not (request.message or "").strip()
        request = replace(request, message=None if blank else sendable(request.message or ""))
        session, includes_message = self._start(request)
        if includes_message and (live := self.sessions.live.get(session.id)):
            live.sent = request.message or ""
        elif request.message and not includes_message:
            with suppress(ClawTapError):  # the session started: its events tell the rest
                self.messages.send(session.id, request.message, actor)
        return self.store.session(session.id)

    def _start(self, request: LaunchRequest) -> tuple[Session, bool]:
        """The session, and whether its first message went in by its arguments."""
        if request.channel == CHANNEL:
            return self.protocols.start(request), False
        session, launch = self.sessions.start(request)
        return session, launch.includes_message

    def end(self, session_id: str, actor: Actor) -> None:
        """End a session, let go of an adopted one, take an ended one off the list."""
        session = self.store.session(session_id)
        if session.channel == EXTERNAL:
            self.external.end(session, actor)
        elif session.channel == HOOK and not session.state.over:
            self.hooks.end(session)
        else:
            (self.protocols if session.channel == CHANNEL else self.sessions).end(session)
        self.given.tidy()

    def adopt(self, pane: str, adapter_id: str | None) -> Session:
        """Watch a pane that a user started."""
        session = self.sessions.adopt(pane, adapter_id)
        self.hooks.adopted(session)
        return self.store.session(session.id)

    def rename(self, session_id: str, title: str) -> Session:
        """Give a session another title."""
        if not title.strip() or len(title) > 200:
            raise BadRequest("a title must have 1 to 200 characters", code=ErrorCode.BAD_TITLE)
        self.store.session(session_id)
        return self.store.change_session(session_id, title=title.strip())

    # Prompts

    def respond(self, session_id: str, response: Response, actor: Actor) -> Prompt:
        """Deliver an answer and see it delivered."""
        self.store.session(session_id)
        prompt = self.store.find_prompt(response.request_id, session_id)
        response = replace(response, request_id=prompt.request_id)
        if prompt.channel == EXTERNAL:
            return self.external.answer(prompt, response, actor)
        live = self._running(session_id)
        if prompt.channel == "terminal":
            pane = self.sessions.live.get(session_id)
            ended = answer.answer(self.store, pane, prompt, response, actor)
        else:
            ended = self.asked.answer(prompt, response, actor)
        refused = ended.state is PromptState.DENIED
        if live and refused and response.reason and not _has_field(live.adapter, ended):
            # The refusal is delivered, whatever becomes of its reason: the queue shows that.
            with suppress(ClawTapError):
                self.messages.send(session_id, response.reason, actor, first=True)
        return ended

    def expand(self, session_id: str, request_id: str) -> Prompt:
        """Read the options that a scrolling list hides."""
        prompt = self.store.find_prompt(request_id, session_id)
        return control.expand(self.store, self._live(session_id), prompt)

    def prompt(self, name: str) -> Prompt:
        """One prompt, open or ended."""
        return self.store.find_prompt(name)

    # Doing things

    def say(self, session_id: str, text: str, files: Sequence[str], actor: Actor) -> Sent:
        """Send a message with the files of these ids, or queue it."""
        attachments = self.given.find(session_id, files) if files else ()
        return self.messages.send(session_id, text, actor, attachments=attachments)

    def control(self, session_id: str, action: Action, actor: Actor) -> Session:
        """Interrupt, or switch mode or model."""
        live = self.protocols.live.get(session_id) or self._live(session_id)
        if isinstance(action, SwitchMode):
            self._check_mode(live.adapter, action.mode)
        if isinstance(action, SwitchModel) and not action.model.isprintable():
            raise BadRequest("a model must be one line of text", code=ErrorCode.BAD_MODEL)
        if isinstance(live, ProtocolSession):
            self.protocols.control(live, action, actor)
        else:
            control.perform(self.store, live, action, actor)
        return self.store.session(session_id)

    def keys(
        self, session_id: str, revision: int, names: Sequence[str], text: str, actor: Actor
    ) -> Screen:
        """Press keys or type a line, if the screen still has this revision."""
        return control.keys(self.store, self._live(session_id), actor, revision, names, text)

    def screen(self, session_id: str) -> Screen:
        """What the pane shows now."""
        live = self._live(session_id)
        return live.shown.add(live.pane.look())

    def _live(self, session_id: str) -> PaneSession:
        if live := self.sessions.live.get(session_id):
            return live
        session = self.store.session(session_id)
        if session.pane is None and not session.state.over:
            raise Impossible("this session has no screen", code=ErrorCode.NO_SCREEN)
        raise Conflict(
            f"the session has {session.state.value}: {session.detail or 'it does not run'}",
            code=ErrorCode.SESSION_ENDED,
        )

    def _check_mode(self, adapter: Adapter, mode: str) -> None:
        offered = {choice.id for choice in adapter.info.permission_modes}
        if mode not in offered:
            raise BadRequest(
                f"no such permission mode: {mode!r} (offered: {', '.join(sorted(offered))})",
                code=ErrorCode.UNKNOWN_PERMISSION_MODE,
            )

    def _running(self, session_id: str) -> PaneSession | ProtocolSession | None:
        return self.sessions.live.get(session_id) or self.protocols.live.get(session_id)

    # What a live session asks back

    def _flush(self, live: ProtocolSession) -> None:
        self.messages.flush(live)

    def _wake(self, session: Session) -> bool:
        """Go on with a session that ended, if it can."""
        if not self.protocols.resumable(session):
            return False
        self.protocols.resume(session.id)
        return True

    def _make(self, session: Session, adapter: Adapter) -> PaneSession:
        self.conversations.begin(session, adapter)
        return PaneSession(
            session,
            adapter,
            self.store,
            env=self.sessions.env,
            settled=self.messages.flush,
            dismiss=self._dialogs.take,
            over=self.sessions.gone,
        )


def _has_field(adapter: Adapter, prompt: Prompt) -> bool:
    """Whether the CLI's prompt takes the reason of a refusal itself."""
    if prompt.channel == "terminal":
        return prompt.form.takes_reason or prompt.form.text_input is not None
    return adapter.info.capabilities.refusal_reason
