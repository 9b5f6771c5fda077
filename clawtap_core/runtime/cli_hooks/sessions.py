"""Sessions of CLIs that run elsewhere, known and answered by their hooks alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Impossible
from clawtap_core.host import Adapter, Host
from clawtap_core.model import (
    Action,
    Actor,
    HookReport,
    LaunchRequest,
    Prompt,
    PromptForm,
    PromptState,
    Response,
    Session,
    SessionState,
)
from clawtap_core.prompts.validation import FormCheck, any_form, is_denial
from clawtap_core.runtime.channel import HOOK, RELEASED, not_running, not_started
from clawtap_core.runtime.cli_hooks.process_watch import ProcessWatch
from clawtap_core.runtime.conversations.service import Conversations
from clawtap_core.runtime.panes.pending_hook import PendingHook
from clawtap_core.runtime.state.offscreen_prompts import OffscreenPrompts
from clawtap_core.runtime.state.store import StateStore, new_id

DESK = Actor("someone", "desk")


@dataclass(frozen=True, slots=True)
class _HookPrompt:
    """A hook that waits for the answer to its prompt."""

    adapter: Adapter
    held: PendingHook

    def answered(self, prompt: Prompt, response: Response) -> None:
        """Let the hook return the answer."""
        answer = self.adapter.answer_hook(prompt.form, response)
        if answer is None:
            name = self.adapter.info.name
            raise Impossible(
                f"{name} does not take this answer from a hook", code=ErrorCode.CANNOT_ANSWER
            )
        if not self.held.give(answer):
            raise Conflict(
                "the CLI is no longer waiting for this answer", code=ErrorCode.PROMPT_CHANGED
            )

    def ended(self, prompt: Prompt) -> None:
        """Refuse an expired prompt; otherwise let the CLI continue by itself."""
        answer = None
        if prompt.state is PromptState.EXPIRED and prompt.resolution:
            late = Response(prompt.request_id, decision="deny", reason=prompt.resolution.detail)
            answer = self.adapter.answer_hook(prompt.form, late)
        if answer is None or not self.held.give(answer):
            self.held.release()


@dataclass
class HookSessions:
    """The sessions of the channel `hook`."""

    store: StateStore
    host: Host
    asked: OffscreenPrompts
    conversations: Conversations
    _held: set[PendingHook] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closing: threading.Event = field(default_factory=threading.Event)
    _processes: ProcessWatch = field(init=False)

    def __post_init__(self) -> None:
        self._processes = ProcessWatch(self.store, self._on_exit)

    def report(
        self,
        adapter: Adapter,
        report: HookReport,
        pane: str,
        process: int,
        gone: Callable[[], bool],
    ) -> Mapping[str, Any] | None:
        """Handle a report; return the reply to the hook."""
        session = self._session(adapter, report, pane)
        if session is None:
            return None
        if process and report.state is not SessionState.ENDED:
            self._processes.watch(session.id, process)
        if report.cli_session_id:
            self.conversations.follow(session.id, report.cli_session_id, report.transcript)
        if report.tool_finished:
            self._end_prompts(session, report.tool_finished)
        if report.form and report.expects_reply:
            return self._ask(adapter, session, report.form, gone)
        if report.form is None and report.tool_finished is None:
            self._end_prompts(session, None)
        if report.state is SessionState.ENDED:
            self._end(session, "its CLI ended")
        else:
            self._update(session, report)
        return None

    def _session(self, adapter: Adapter, report: HookReport, pane: str) -> Session | None:
        with self._lock:
            if running := self._running(adapter, report.cli_session_id):
                return running
            # The last report of a conversation may arrive after its end.
            if not report.cli_session_id or not report.cwd or report.state is SessionState.ENDED:
                return None
            now, cwd = self.store.now(), report.cwd
            title = Path(cwd).name or cwd
            session = Session(
                new_id(),
                adapter.id,
                HOOK,
                "adopted",
                cwd,
                title,
                now,
                now,
                state=report.state or SessionState.BUSY,
                mode=report.mode,
                model=report.model,
                cli_session_id=report.cli_session_id,
            )
            self.store.add_session(session)
            self.conversations.begin(session, adapter)
            if pane:
                self.store.mark(session.id, "hookpane", pane, happened=True)
            return session

    def _running(self, adapter: Adapter, cli_session_id: str | None) -> Session | None:
        for session in self._sessions():
            if session.adapter == adapter.id and session.cli_session_id == cli_session_id:
                return session
        return None

    def _sessions(self) -> list[Session]:
        return [s for s in self.store.sessions() if s.channel == HOOK and not s.state.over]

    def _update(self, session: Session, report: HookReport) -> None:
        state = None if self.store.session(session.id).pending else report.state
        reported = {"state": state, "mode": report.mode, "model": report.model}
        changes = {name: value for name, value in reported.items() if value is not None}
        self.store.touch(session.id)
        self.store.change_session(session.id, **changes)

    # Prompts

    def _ask(
        self, adapter: Adapter, session: Session, form: PromptForm, gone: Callable[[], bool]
    ) -> Mapping[str, Any] | None:
        """Open a prompt, wait for its answer, and return the reply to the hook."""
        held = PendingHook(gone)
        with self.store.exclusive():
            self._held.add(held)
            prompt = self.asked.ask(session.id, HOOK, form, _HookPrompt(adapter, held))
            self.store.change_session(session.id, state=SessionState.WAITING)
        try:
            answer = held.wait(None)
            if answer is None and not self._closing.is_set():
                self._end_prompt(prompt, PromptState.ANSWERED_ELSEWHERE)
            return answer
        finally:
            self._held.discard(held)
            self._mark_busy(session.id)

    def _end_prompts(self, session: Session, finished: PromptForm | None) -> None:
        """End the prompts of a call that ended, or all: they were answered at the CLI."""
        with self.store.exclusive():
            for prompt in self.store.open_prompts(session.id):
                if finished is None or finished.tool_name == prompt.form.tool_name:
                    self._end_prompt(prompt, PromptState.ANSWERED_ELSEWHERE)
        self._mark_busy(session.id)

    def _end_prompt(self, prompt: Prompt, outcome: PromptState, detail: str | None = None) -> None:
        actor = DESK if outcome is PromptState.ANSWERED_ELSEWHERE else None
        self.store.end_prompt(prompt.request_id, outcome, actor=actor, detail=detail)

    def _mark_busy(self, session_id: str) -> None:
        with self.store.exclusive():
            session = next((s for s in self._sessions() if s.id == session_id), None)
            if session and session.state is SessionState.WAITING and not session.pending:
                self.store.change_session(session_id, state=SessionState.BUSY)

    # Ends and restarts

    def start(self, request: LaunchRequest) -> tuple[Session, bool]:
        """Refuse: the user starts such a CLI."""
        raise not_started(HOOK)

    def respond(
        self, prompt: Prompt, response: Response, actor: Actor, fits: FormCheck = any_form
    ) -> Prompt:
        """Let the waiting hook return the answer."""
        if response.reason and not is_denial(prompt.form, response):
            raise Impossible(
                "in this session a reason can only be given with a denial; approve without one",
                code=ErrorCode.CANNOT_ANSWER,
            )
        return self.asked.answer(prompt, response, actor, fits)

    def took_reason(self, prompt: Prompt) -> bool:
        """Return True: no message can carry the reason."""
        return True

    def control(self, session: Session, action: Action, actor: Actor) -> None:
        """Refuse: no key can be pressed."""
        raise not_running(session)

    def message_target(self, session: Session) -> None:
        """Refuse: no composer can be reached, unless the session is over."""
        if not session.state.over:
            raise Impossible(
                "this session has no terminal here; reply where the CLI runs",
                code=ErrorCode.NO_TERMINAL,
            )

    def wake(self, session: Session) -> bool:
        """Return False: the user starts such a CLI."""
        return False

    def end(self, session: Session, actor: Actor) -> None:
        """Release a session, or remove an ended one."""
        if session.state.over:
            self.store.drop_session(session)
        else:
            self._end(session, RELEASED)

    def _end(self, session: Session, reason: str) -> None:
        # The CLI continues with its own prompts.
        self.store.end_session(session.id, reason)
        self._processes.forget(session.id)

    def _on_exit(self, session_id: str) -> None:
        self._end(self.store.session(session_id), "its CLI was killed")

    def taken_over(self, adapter: Adapter, cli_session_id: str | None, by: str) -> None:
        """End the session of a CLI that is watched in its pane by now."""
        if cli_session_id and (session := self._running(adapter, cli_session_id)):
            self._end(session, f"watched in its pane now, as session {by}")

    def handed_over(self, adopted: Session) -> str | None:
        """Return the conversation that hooks reported before the pane was adopted."""
        for session in self._sessions():
            pane = self.store.marker(session.id, "hookpane")
            if pane == adopted.pane and session.adapter == adopted.adapter:
                self._end(session, f"watched in its pane now, as session {adopted.id}")
                return session.cli_session_id
        return None

    def recover(self) -> None:
        """Cancel the prompts of hooks, none of which waits after a restart."""
        for session in self._sessions():
            for prompt in self.store.open_prompts(session.id):
                why = "ClawTap stopped, and the hook with it: answer where the CLI runs"
                self._end_prompt(prompt, PromptState.CANCELLED, why)
            self._mark_busy(session.id)
            with suppress(ClawTapError):  # its adapter may be gone
                self.conversations.begin(session, self.host.adapter(session.adapter))
            self._processes.recover(session.id)

    def close(self) -> None:
        """Let every hook return without a decision; the next start settles its prompt."""
        self._closing.set()
        self._processes.close()
        with self.store.exclusive():
            # Each removes itself once its hook returns.
            for held in list(self._held):
                held.release()
