"""Look up the adapters and sessions that partials need."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from clawtap_core.errors import ClawTapError, Unavailable
from clawtap_core.model import (
    AdapterInfo,
    Kind,
    LiveCheckStatus,
    Prompt,
    PromptState,
    QueuedMessage,
    Session,
)
from clawtap_core.transport import Transport
from webui.rendering.summaries import Summaries
from webui.viewmodels.rule_rows import Offer, offer
from webui.viewmodels.session_row import Row, row

_LATEST = 5
# For how many seconds the adapters are not read again.
_ADAPTERS_KEPT = 3.0


class Lookup:
    """Finds adapters and sessions through a transport."""

    def __init__(self, transport: Callable[[], Transport]) -> None:
        self._transport = transport
        self._adapters: dict[str, AdapterInfo] = {}
        self._adapters_read = 0.0
        self._checks: dict[tuple[str, str], LiveCheckStatus | None] = {}
        self.summaries = Summaries(transport)

    def adapters(self) -> dict[str, AdapterInfo]:
        """Return every adapter by its id."""
        # A hub learns of more as machines join; every row of a page asks for them.
        if not self._adapters or time.monotonic() > self._adapters_read + _ADAPTERS_KEPT:
            self._adapters_read = time.monotonic()
            statuses = self._transport().adapters()
            self._adapters = {status.info.id: status.info for status in statuses}
        return self._adapters

    def adapter(self, adapter_id: str) -> AdapterInfo | None:
        """Return one adapter; None when its plugin is not installed."""
        return self.adapters().get(adapter_id)

    def checkable(self, adapter_id: str) -> bool:
        """Return whether `clawtap doctor --live` can try this adapter's CLI."""
        return any(
            plugin.adapter == adapter_id and "live_check" in plugin.hooks
            for plugin in self._transport().plugins()
        )

    def transport_of(self, session: Session) -> Transport:
        """Return the transport to the machine of a session."""
        machine = session.machine
        return (
            self._transport()
            if machine is None or machine.here
            else self._transport().at(machine.id)
        )

    def live_check(self, session: Session, *, ask: bool = False) -> LiveCheckStatus | None:
        """Return the latest check of a session's CLI on its machine.

        For another machine, return the last known check, or ask the machine if `ask`.
        """
        machine = session.machine
        key = (machine.id if machine else "", session.adapter)
        if ask or machine is None or machine.here:
            with suppress(Unavailable):
                statuses = self.transport_of(session).adapters()
                found = (each.live_check for each in statuses if each.info.id == session.adapter)
                self._checks[key] = next(found, None)
        return self._checks.get(key)

    def is_noted(self, session_id: str, error: str) -> bool:
        """Return whether an error is among a session's latest messages."""
        try:
            page = self._transport().messages(session_id, limit=_LATEST)
        except ClawTapError:
            return False
        notes = (message for message in page.messages if message.notice == "error")
        return any(block.text.strip() == error for note in notes for block in note.content)

    def sessions(self) -> Sequence[Session]:
        """Return every session."""
        return self._transport().sessions()

    def session(self, session_id: str) -> Row | None:
        """Return one session; None when it is gone."""
        try:
            return self.row(self._transport().session(session_id))
        except ClawTapError:
            return None

    def queue(self, session_id: str) -> Sequence[QueuedMessage]:
        """Return the queued messages of a session; none when it is gone."""
        try:
            return self._transport().queue(session_id)
        except ClawTapError:
            return ()

    def offer(self, prompt: Prompt) -> Offer | None:
        """Return the rule to offer on the card of a permission; None without a good one."""
        form = prompt.form
        open_permission = form.kind is Kind.PERMISSION and prompt.state is PromptState.PENDING
        if not open_permission or form.truncated or not form.tool_name:
            return None
        try:
            offered = self._transport().explain(prompt.request_id).offer
        except ClawTapError:
            return None
        return offer(offered) if offered else None

    def has_rule(self, name: str) -> bool:
        """Return whether there is still a rule of this name."""
        try:
            return any(rule.name == name for rule in self._transport().rules().rules)
        except ClawTapError:  # such as that of a hub, which has none
            return False

    def row(self, session: Session) -> Row:
        """Return the row of a session, with its title and last line."""
        summary = self.summaries.of(session)
        return row(session, summary.title, summary.last_line)
