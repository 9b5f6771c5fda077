"""The composition of the runtime: its channels, store, messages and history."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from clawtap_core.config.settings import TIMEOUT, same_timeout
from clawtap_core.errors import ClawTapError
from clawtap_core.host import Adapter, Host
from clawtap_core.journal.api import Journal
from clawtap_core.model import Actor, Kind, Prompt, PromptState, Response, Session, SessionState
from clawtap_core.prompts.validation import FormCheck, any_form
from clawtap_core.rules import RulesFile
from clawtap_core.runtime.actions.attachment_store import Attachments
from clawtap_core.runtime.actions.attachments import SessionAttachments
from clawtap_core.runtime.actions.message_queue import MessageQueue, in_words
from clawtap_core.runtime.actions.startup_dialogs import StartupDialogs
from clawtap_core.runtime.channel import EXTERNAL, HOOK, PROTOCOL, TERMINAL, Channel
from clawtap_core.runtime.cli_hooks.binding import ConversationBinder
from clawtap_core.runtime.cli_hooks.dispatcher import HookDispatcher
from clawtap_core.runtime.cli_hooks.sessions import HookSessions
from clawtap_core.runtime.cli_hooks.shared_daemon import SharedDaemons
from clawtap_core.runtime.cli_versions import CliVersions
from clawtap_core.runtime.conversations.history import History
from clawtap_core.runtime.conversations.service import Conversations
from clawtap_core.runtime.external.sessions import ExternalPrograms
from clawtap_core.runtime.inventory import Inventory
from clawtap_core.runtime.live_checks import LiveChecks
from clawtap_core.runtime.lost_sessions import LostSessions
from clawtap_core.runtime.notifications import Notifier
from clawtap_core.runtime.panes.manager import PaneSessions
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.protocol.manager import ProtocolSessions
from clawtap_core.runtime.rules.answers import RuleAnswers
from clawtap_core.runtime.rules.service import Rules
from clawtap_core.runtime.search.service import Search
from clawtap_core.runtime.state.offscreen_prompts import OffscreenPrompts
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.terminal_channel import TerminalChannel
from clawtap_core.runtime.timings import DEFAULT_TIMINGS, REAL_TIME, Scheduler, Timings
from clawtap_core.runtime.usage_limits import UsageLimits
from clawtap_core.search.api import SearchIndex
from clawtap_core.session_titles import session_title
from clawtap_core.terminal.api import Terminal
from clawtap_core.transport import Transport


class Components(ABC):
    """The parts of the runtime, and the objects that connect them.

    `env` is what CLIs inherit; `trust_folders` is `ask` or `always`; `timeouts` are those of
    prompts outside panes, in seconds by kind, 0 to wait indefinitely; `files` is the folder of
    attachments, without which none are accepted, `rules` the file of rules, `checks` the folder
    of live checks; without a `search` index only sessions are found.
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
        search: SearchIndex | None = None,
        rules: Path | None = None,
        checks: Path | None = None,
        timings: Timings = DEFAULT_TIMINGS,
        scheduler: Scheduler = REAL_TIME,
    ) -> None:
        self._host = host
        self._timings, self._scheduler = timings, scheduler
        self._terminal = terminal
        self._journal = journal
        self._notifier = Notifier(host, lambda session: session_title(self.transport(), session))
        self.store = store = StateStore(journal)
        self._dialogs = StartupDialogs(store, trust_folders)
        self.sessions = PaneSessions(store, host, terminal, self._make, env)
        self._daemons = SharedDaemons(env, self.sessions.running.get)
        versions = CliVersions(env)
        self.conversations = Conversations(
            store, host, env, self.sessions.running.get, versions, timings, scheduler
        )
        timeouts = timeouts or same_timeout(TIMEOUT)
        self.offscreen = OffscreenPrompts(store, timeouts, timings)
        self.external = ExternalPrograms(store, self.offscreen)
        self.protocols = ProtocolSessions(
            store,
            host,
            self.offscreen,
            self.conversations,
            env,
            lambda live: self.messages.flush(live),
            timings,
            scheduler,
        )
        hook_sessions = HookSessions(store, host, self.offscreen, self.conversations)
        self.hooks = HookDispatcher(
            store,
            host,
            self.sessions.running,
            tmux=terminal.server,
            timeouts=timeouts,
            elsewhere=hook_sessions,
            binder=ConversationBinder(store, self.conversations),
            speaks=self.protocols.speaks,
        )
        self.terminal = TerminalChannel(store, self.sessions, self.hooks.adopted)
        self._channels: dict[str, Channel] = {
            TERMINAL: self.terminal,
            PROTOCOL: self.protocols,
            HOOK: hook_sessions,
            EXTERNAL: self.external,
        }
        self.lost = LostSessions(
            store, host, self.sessions, self.protocols, self.conversations, timings
        )
        self.attachments = SessionAttachments(store, Attachments(files), self._can_continue)
        self.checks = LiveChecks(host, versions, env, checks)
        self.inventory = Inventory(store, host, terminal, self.sessions, versions, self.checks)
        self.messages = MessageQueue(
            store,
            target=lambda session: self.channel(session.channel).message_target(session),
            wake=lambda session: self.channel(session.channel).wake(session),
            said_since=self.conversations.said_since,
            timings=timings,
        )
        self.limits = UsageLimits(
            store,
            send=lambda message, actor: self.messages.receive(message, actor),
            flush=self._flush,
            timings=timings,
            scheduler=scheduler,
        )
        self.history = History(store, host, self.conversations)
        self.search = Search(store, host, search, self.conversations.library, timings)
        store.subscribe(self.search.on_event, transient=True)
        self.rules = Rules(store, RulesFile(rules) if rules else None)
        self.rule_answers = RuleAnswers(store, self.rules, self.respond)
        for listener in (
            self.rule_answers.on_event,
            self.limits.on_event,
            self._notifier.on_event,
            self.conversations.on_event,
            self.attachments.on_event,
            self._daemons.on_event,
        ):
            store.subscribe(listener)
        self._recover()

    @abstractmethod
    def transport(self, actor: Actor | None = None) -> Transport:
        """Return the transport of one actor."""

    def _recover(self) -> None:
        """Recover the sessions and prompts of the last run."""
        # A message that may have been sent is settled before its session can be sent another.
        for session in self.store.sessions():
            self.messages.settle(session.id)
        for channel in self._channels.values():
            channel.recover()
        self.limits.recover()
        self.attachments.tidy()
        # Deadlines count, and rules answer, once every prompt has its owner again.
        self.offscreen.start()
        self.rule_answers.judge_open()

    def close(self) -> None:
        """Stop: CLIs in panes stay, those that speak a protocol end."""
        self.limits.close()
        self.hooks.close()
        self._daemons.close()
        self.store.close()
        for channel in reversed(self._channels.values()):
            channel.close()
        self.offscreen.close()
        self.checks.close()
        self.search.close()
        self.conversations.close()
        self._terminal.close()
        self._notifier.close()
        self._journal.close()

    def channel(self, name: str) -> Channel:
        """Return a channel by its name."""
        return self._channels.get(name, self.terminal)

    def respond(
        self, session_id: str, response: Response, actor: Actor, fits: FormCheck = any_form
    ) -> Prompt:
        """Deliver an answer and return the resolved prompt, if the answer still `fits` it."""
        channel = self.channel(self.store.session(session_id).channel)
        prompt = self.store.find_prompt(response.request_id, session_id)
        response = replace(response, request_id=prompt.request_id)
        self.search.hide_secrets(prompt.form, response)
        ended = channel.respond(prompt, response, actor, fits)
        decided = ended.state in (PromptState.ANSWERED, PromptState.DENIED)
        if decided and response.reason and not channel.took_reason(ended):
            # The answer is delivered even if its reason is not; the queue shows that.
            with suppress(ClawTapError):
                self.messages.send(session_id, in_words(response.reason), actor, first=True)
        return ended

    def _can_continue(self, session: Session) -> bool:
        return session.state is SessionState.LOST or self.protocols.resumable(session)

    def _flush(self, session: Session) -> None:
        if target := self.channel(session.channel).message_target(session):
            self.messages.flush(target, patience=self._timings.queue_turn)

    def _make(self, session: Session, adapter: Adapter) -> PaneSession:
        self.conversations.begin(session, adapter)
        return PaneSession(
            session,
            adapter,
            self.store,
            env=self.sessions.env,
            on_calm=self.messages.flush,
            dismiss=self._dialogs.take,
            on_exit=self.sessions.gone,
            timings=self._timings,
            scheduler=self._scheduler,
        )
