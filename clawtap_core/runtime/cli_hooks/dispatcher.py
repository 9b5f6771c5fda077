"""Dispatching the reports of CLI hooks to their sessions.

For a CLI in a watched pane, hooks add to what the screen shows; for a CLI elsewhere, they are all
that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clawtap_core.host import Adapter, Host
from clawtap_core.model import (
    Event,
    HookCall,
    HookReport,
    Kind,
    PromptForm,
    Session,
)
from clawtap_core.runtime.channel import HOOK
from clawtap_core.runtime.cli_hooks.binding import ConversationBinder
from clawtap_core.runtime.cli_hooks.sessions import HookSessions
from clawtap_core.runtime.panes.pending_hook import PendingHook
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore

Answer = Mapping[str, Any] | None


def event_name(event: str) -> str:
    """Return an event as CLIs name it: `before-tool` in a URL is `BeforeTool`."""
    return "".join(part.capitalize() for part in event.split("-"))


class HookDispatcher:
    """The receiver of all hooks; `timeouts` in seconds by kind, 0 to wait indefinitely.

    `speaks` says if a CLI session speaks a protocol: its hooks add nothing and are ignored.
    """

    def __init__(
        self,
        store: StateStore,
        host: Host,
        running: Mapping[str, PaneSession],
        *,
        tmux: Callable[[], str],
        timeouts: Mapping[Kind, float],
        elsewhere: HookSessions,
        binder: ConversationBinder,
        speaks: Callable[[str], bool] = lambda cli_session_id: False,
    ) -> None:
        self._store = store
        self._host = host
        self._running = running
        self._tmux = tmux
        self._timeouts = timeouts
        self._binder = binder
        self._speaks = speaks
        store.subscribe(self._on_event, transient=True)
        self.elsewhere = elsewhere

    def report(self, call: HookCall, gone: Callable[[], bool]) -> Answer:
        """Handle a hook; return its reply, or None. `gone` says that the CLI stopped waiting."""
        adapter = self._host.adapter(call.adapter)
        report = adapter.parse_hook(call.event, call.payload)
        if report is None and call.event.islower():
            report = adapter.parse_hook(event_name(call.event), call.payload)
        if report is None or self._speaks(report.cli_session_id or ""):
            return None
        pane = call.pane if call.pane and call.tmux == self._tmux() else ""
        if session := self._in_pane(adapter, pane):
            return self._report_watched(session, report, gone)
        if HOOK in adapter.info.capabilities.channels:
            return self.elsewhere.report(adapter, report, pane, call.process, gone)
        return None

    def adopted(self, session: Session) -> None:
        """Bind an adopted pane to the conversation that its CLI's hooks named before."""
        if known := self.elsewhere.handed_over(session):
            self._binder.bind(session.id, HookReport(cli_session_id=known))

    def close(self) -> None:
        """Let every hook return."""
        self.elsewhere.close()
        for session in list(self._running.values()):
            session.calls.close()

    def _on_event(self, event: Event, session: Session) -> None:
        pane_session = self._running.get(session.id)
        # What a transcript says is never in the journal, whose events have numbers.
        if pane_session is None or event.seq is not None:
            return
        call, data = event.data.get("toolCallId"), event.data
        if event.type == "message" and data.get("role") == "assistant":
            _note_text(pane_session, data["content"])
        elif event.type == "tool_call_end" and call:
            pane_session.calls.conclude(call, str(data.get("status")))
            if pane_session.calls.outlived:
                pane_session.refresh()
        elif event.type == "tool_call_start" and call and pane_session.in_turn:
            pane_session.calls.learn(
                PromptForm(
                    Kind.UNKNOWN,
                    "",
                    tool_name=data.get("toolName"),
                    tool_input=data.get("input"),
                    tool_call_id=call,
                    origin=data.get("origin"),
                )
            )
            pane_session.refresh()

    def _in_pane(self, adapter: Adapter, pane: str) -> PaneSession | None:
        for session in list(self._running.values()) if pane else ():
            if session.adapter.id == adapter.id and self._store.session(session.id).pane == pane:
                return session
        return None

    # A CLI in a pane that is watched

    def _report_watched(
        self, session: PaneSession, report: HookReport, gone: Callable[[], bool]
    ) -> Answer:
        if not self._binder.admits(session, report):
            return None
        self.elsewhere.taken_over(session.adapter, report.cli_session_id, session.id)
        if report.events:
            now = self._store.now()
            self._store.commit(
                [events.session_event(e.type, session.id, now, **e.data) for e in report.events],
                happened=True,
            )
        if report.tool_finished:
            session.calls.finish(report.tool_finished)
        if report.form is None:
            if report.conversation_start or (report.state and report.tool_finished is None):
                session.calls.clear()
            session.refresh()
            return None
        pending = PendingHook(gone) if report.expects_reply else None
        call = session.calls.learn(report.form, pending)
        session.refresh()
        if pending is None:
            return None
        try:
            # On a timeout, the prompt on the screen stays open.
            return pending.wait(self._timeouts.get(call.form.kind) or None)
        finally:
            session.calls.forget(call)


def _note_text(session: PaneSession, blocks: Sequence[Mapping[str, Any]]) -> None:
    if texts := [block["text"] for block in blocks if block["type"] == "text"]:
        session.calls.note_text(texts[-1])
        if session.prompt:
            session.refresh()
