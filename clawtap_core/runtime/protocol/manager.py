"""Starting, ending and resuming sessions that speak a protocol over stdio."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Impossible, NotConfirmed
from clawtap_core.host import Adapter, Host
from clawtap_core.model import (
    Action,
    Actor,
    LaunchRequest,
    Prompt,
    PromptState,
    Response,
    Session,
    SessionState,
    SwitchMode,
    SwitchModel,
)
from clawtap_core.prompts.validation import FormCheck, any_form
from clawtap_core.protocol import Child, Link, Reaper
from clawtap_core.runtime.actions.control import check_action
from clawtap_core.runtime.channel import PROTOCOL, not_running
from clawtap_core.runtime.conversations.service import Conversations
from clawtap_core.runtime.launch_checks import launchable
from clawtap_core.runtime.launch_record import (
    launch_again,
    remember,
    remember_launch,
    remembered_launch,
)
from clawtap_core.runtime.protocol.session import ProtocolSession
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.offscreen_prompts import OffscreenPrompts
from clawtap_core.runtime.state.store import StateStore, new_id
from clawtap_core.runtime.timings import Scheduler, Timings

log = logging.getLogger(__name__)
_STOPPED = "ClawTap stopped; the next message continues it"


@dataclass(frozen=True)
class ProtocolSessions:
    """Protocol sessions; `env` is what CLIs inherit, `settled` is called with an idle one."""

    store: StateStore
    host: Host
    asked: OffscreenPrompts
    conversations: Conversations
    env: Mapping[str, str]
    settled: Callable[[ProtocolSession], None]
    timings: Timings
    scheduler: Scheduler
    running: dict[str, ProtocolSession] = field(default_factory=dict)
    reaper: Reaper = field(default_factory=Reaper)
    _resuming: threading.Lock = field(default_factory=threading.Lock)

    def start(self, request: LaunchRequest) -> tuple[Session, bool]:
        """Start a CLI as a child; its first message goes through the queue."""
        adapter = self.host.adapter(request.adapter)
        now = self.store.now()
        session = Session(
            new_id(),
            adapter.id,
            PROTOCOL,
            "launched",
            request.cwd,
            Path(request.cwd).name or request.cwd,
            now,
            now,
            mode=request.permission_mode,
            cli_session_id=request.resume,
        )

        def record() -> None:
            # Remembered first: a session that is listed can be resumed.
            remember_launch(self.store, session.id, request, begun=bool(request.resume))
            self.store.add_session(session)

        self._launch(session, adapter, request, record)
        return self.store.session(session.id), False

    def resumable(self, session: Session) -> bool:
        """Return True if an ended session continues with its next message."""
        remembered = remembered_launch(self.store, session.id)
        return session.channel == PROTOCOL and remembered is not None

    def resumed_conversation(self, session: Session) -> str | None:
        """Return the conversation that an ended session is resumed in; None if it has none yet."""
        return self._resume_request(session).resume

    def resume(self, session_id: str) -> None:
        """Restart the CLI of an ended session in its conversation."""
        with self._resuming:
            session = self.store.session(session_id)
            if session_id in self.running:
                return
            adapter = self.host.adapter(session.adapter)
            starting = {"state": SessionState.STARTING, "detail": None}
            self._launch(
                session,
                adapter,
                self._resume_request(session),
                lambda: self.store.change_session(session_id, **starting),
            )

    def respond(
        self, prompt: Prompt, response: Response, actor: Actor, fits: FormCheck = any_form
    ) -> Prompt:
        """Deliver an answer."""
        return self.asked.answer(prompt, response, actor, fits)

    def took_reason(self, prompt: Prompt) -> bool:
        """Return True if the CLI took the reason, which only a refusal may carry, or is gone."""
        session = self.running.get(prompt.session_id)
        refused = prompt.state is PromptState.DENIED
        return session is None or (refused and session.adapter.info.capabilities.refusal_reason)

    def message_target(self, session: Session) -> ProtocolSession | None:
        """Return the session while its CLI runs."""
        return self.running.get(session.id)

    def wake(self, session: Session) -> bool:
        """Restart the CLI of an ended session, if it can be."""
        if not self.resumable(session):
            return False
        self.resume(session.id)
        return True

    def end(self, session: Session, actor: Actor) -> None:
        """End a session's CLI, or remove an ended session."""
        running = self.running.pop(session.id, None)
        if running is None:
            self.store.drop_session(session)
            self.conversations.reported.forget(session.id)
            return
        running.close()
        self.store.end_session(session.id, "ended by the user")

    def speaks(self, cli_session_id: str) -> bool:
        """Return True if a CLI that speaks a protocol has this session id."""
        running = [self.store.session(name).cli_session_id for name in list(self.running)]
        return bool(cli_session_id) and cli_session_id in running

    def control(self, session: Session, action: Action, actor: Actor) -> None:
        """Interrupt, or switch mode or model; a resumed CLI keeps it."""
        running = self.running.get(session.id)
        if running is None:
            raise not_running(session)
        check_action(running.adapter, action)
        asked = events.control_action(action, running.id, self.store.now(), actor)
        try:
            running.control(action)
        except NotConfirmed:
            self.store.commit([asked], happened=True)
            raise
        # What the CLI refused did not happen: the conversation must not report it.
        self.store.commit([asked], happened=True)
        if isinstance(action, SwitchMode):
            remember(self.store, running.id, permission_mode=action.mode)
        elif isinstance(action, SwitchModel):
            remember(self.store, running.id, model=action.model)

    def _mark_resumable(self, session_id: str, cli_session_id: str) -> None:
        # A CLI cannot resume a conversation that it has not named.
        remember(self.store, session_id, begun=True)
        self.conversations.follow(session_id, cli_session_id)

    def recover(self) -> None:
        """End the sessions of the last run, whose children are gone; they can be resumed."""
        for session in self.store.sessions():
            if session.channel == PROTOCOL and not session.state.over:
                self.store.end_session(session.id, _STOPPED, lost=True)

    def close(self) -> None:
        """End every child; their sessions can be resumed after a restart."""
        closing = [threading.Thread(target=running.close) for running in self.running.values()]
        for name in list(self.running):
            self.running.pop(name).leave()
            self.store.end_session(name, _STOPPED, lost=True)
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()
        self.reaper.close()

    def _launch(
        self,
        session: Session,
        adapter: Adapter,
        request: LaunchRequest,
        record: Callable[[], object],
    ) -> None:
        """Start a session's CLI; `record` the session once only that can still fail."""
        request = replace(request, message=None)
        launch = launchable(adapter, request, self.env)
        peer = adapter.open_protocol(request)
        if peer is None:
            raise Impossible(
                f"{adapter.info.name} has no protocol channel", code=ErrorCode.NO_SUCH_CHANNEL
            )
        env = {**self.env, **launch.env}
        child = Child(launch.argv, cwd=request.cwd, env=env, reaper=self.reaper)
        try:
            record()
        except BaseException:
            child.close()
            raise
        running = ProtocolSession(
            session,
            adapter,
            self.store,
            self.asked,
            self.conversations.reported,
            named=self._mark_resumable,
            settled=self.settled,
            over=self._on_end,
            timings=self.timings,
            scheduler=self.scheduler,
        )
        self.running[session.id] = running
        if launch.cli_session_id:
            self.store.change_session(session.id, cli_session_id=launch.cli_session_id)
        self.conversations.begin(self.store.session(session.id), adapter, running.deduplicator)
        patience = self.timings.protocol_accepts
        running.begin(child, Link(peer, child, running.on_event, patience=patience))

    def _resume_request(self, session: Session) -> LaunchRequest:
        """Return what starts an ended session again; Conflict if it is over for good."""
        launch = remembered_launch(self.store, session.id)
        if launch is None:
            raise Conflict("the session has ended", code=ErrorCode.SESSION_ENDED)
        named = session.cli_session_id if launch.get("begun") else None
        return launch_again(self.store, session, resume=named)

    def _on_end(self, running: ProtocolSession, reason: str) -> None:
        """Handle the end of a CLI; restart it for queued messages, if it ever came up."""
        if self.running.get(running.id) is not running:
            return
        del self.running[running.id]
        self.store.end_session(running.id, reason)
        # A message that this CLI accepted just before its end must not be sent to the next one.
        with suppress(Conflict), running.typing(self.timings.protocol_accepts):
            pass
        if running.was_idle and self.store.queue(running.id):
            try:
                self.resume(running.id)
            except ClawTapError as error:
                log.warning("not resumed: %s", error.message, extra={"session": running.id})
