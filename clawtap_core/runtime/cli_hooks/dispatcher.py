"""What the CLIs' hooks tell: whose it is, and what becomes of it.

A hook of a CLI in a watched pane adds to what the screen shows; one of a CLI that runs elsewhere
is all that is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clawtap_core.host import Adapter, Host
from clawtap_core.model import (
    AgentEvent,
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
from clawtap_core.runtime.panes.tool_calls import Call
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore

Answer = Mapping[str, Any] | None


def event_name(event: str) -> str:
    """Return an event as CLIs name it: `before-tool` in a URL is `BeforeTool`."""
    return "".join(part.capitalize() for part in event.split("-"))


class HookDispatcher:
    """Every hook that calls. `timeouts`: for how long a prompt of a kind waits, 0 for ever.

    `speaks` tells the CLIs that are speaks to, by their own ids: those say all over that channel.
    """

    def __init__(
        self,
        store: StateStore,
        host: Host,
        live: Mapping[str, PaneSession],
        *,
        tmux: Callable[[], str],
        timeouts: Mapping[Kind, float],
        elsewhere: HookSessions,
        binder: ConversationBinder,
        speaks: Callable[[str], bool] = lambda cli_session_id: False,
    ) -> None:
        self._store = store
        self._host = host
        self._live = live
        self._tmux = tmux
        self._timeouts = timeouts
        self._binder = binder
        self._speaks = speaks
        store.subscribe(self._heard, transient=True)
        self.elsewhere = elsewhere

    def report(self, call: HookCall, gone: Callable[[], bool]) -> Answer:
        """What the hook returns to its CLI; None for nothing. `gone`: the CLI waits no more."""
        adapter = self._host.adapter(call.adapter)
        report = adapter.parse_hook(call.event, call.payload)
        if report is None and call.event.islower():
            report = adapter.parse_hook(event_name(call.event), call.payload)
        if report is None or self._speaks(report.cli_session_id or ""):
            return None
        pane = call.pane if call.pane and call.tmux == self._tmux() else ""
        if live := self._in_pane(adapter, pane):
            return self._watched(live, report, gone)
        if HOOK in adapter.info.capabilities.channels:
            return self.elsewhere.report(adapter, report, pane, call.process, gone)
        return None

    def adopted(self, session: Session) -> None:
        """A pane was adopted: what its CLI told by hooks before belongs to it."""
        if known := self.elsewhere.handed_over(session):
            self._binder.bind(session.id, HookReport(cli_session_id=known))

    def close(self) -> None:
        """Let every hook return."""
        self.elsewhere.close()
        for live in list(self._live.values()):
            live.calls.close()

    def _heard(self, event: Event, session: Session) -> None:
        """What a transcript tells of a call: that it is made, and what became of it."""
        live = self._live.get(session.id)
        if live is None or event.seq is not None or not event.type.startswith("tool_"):
            return
        call, data = event.data.get("toolCallId"), event.data
        if event.type == "tool_call_end" and call:
            live.calls.conclude(call, str(data.get("status")))
        elif event.type == "tool_call_start" and call and live.in_turn:
            tool, given = data.get("toolName"), data.get("input")
            live.calls.learn(
                PromptForm(Kind.UNKNOWN, "", tool_name=tool, tool_input=given, tool_call_id=call)
            )
            live.refresh()

    def _in_pane(self, adapter: Adapter, pane: str) -> PaneSession | None:
        """The session of this adapter that is watched in a pane."""
        for live in list(self._live.values()) if pane else ():
            if live.adapter.id == adapter.id and self._store.session(live.id).pane == pane:
                return live
        return None

    # A CLI in a pane that is watched

    def _watched(self, live: PaneSession, report: HookReport, gone: Callable[[], bool]) -> Answer:
        if not self._binder.admits(live, report):
            return None
        self.elsewhere.taken_over(live.adapter, report.cli_session_id, live.id)
        self._say(live.id, report.events)
        if report.tool_finished:
            live.calls.finish(report.tool_finished)
        if report.form is None:
            if report.conversation_start or (report.state and report.tool_finished is None):
                live.calls.clear()
            live.refresh()
            return None
        return self._call(live, report.form, report.expects_reply, gone)

    def _call(
        self, live: PaneSession, form: PromptForm, waits: bool, gone: Callable[[], bool]
    ) -> Answer:
        """A call of a tool: what is known of it, and perhaps who waits for its answer."""
        held = PendingHook(gone) if waits else None
        call = live.calls.learn(form, held)
        live.refresh()
        return self._wait(live, call, held) if held else None

    def _wait(self, live: PaneSession, call: Call, held: PendingHook) -> Answer:
        """The prompt stands on the screen as well: at its time it stays there, undecided."""
        try:
            return held.wait(self._timeouts.get(call.form.kind) or None)
        finally:
            live.calls.forget(call)

    def _say(self, session_id: str, reported: tuple[AgentEvent, ...]) -> None:
        now = self._store.now()
        happened = [
            events.session_event(event.type, session_id, now, **event.data) for event in reported
        ]
        if happened:
            self._store.commit(happened)
