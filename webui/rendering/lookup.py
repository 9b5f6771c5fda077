"""Look up what partials need apart from their own data: adapters and sessions."""

from __future__ import annotations

from collections.abc import Callable

from clawtap_core.errors import ClawTapError
from clawtap_core.model import AdapterInfo, Session
from clawtap_core.transport import Transport
from webui.rendering.summaries import Summaries
from webui.viewmodels.session_row import Row, row


class Lookup:
    """Finds adapters and sessions through a transport."""

    def __init__(self, transport: Callable[[], Transport]) -> None:
        self._transport = transport
        self._adapters: dict[str, AdapterInfo] = {}
        self.summaries = Summaries(transport)

    def adapters(self) -> dict[str, AdapterInfo]:
        """Return every adapter by its id."""
        # Adapters do not change while the server runs.
        if not self._adapters:
            statuses = self._transport().adapters()
            self._adapters = {status.info.id: status.info for status in statuses}
        return self._adapters

    def adapter(self, adapter_id: str) -> AdapterInfo | None:
        """Return one adapter; None when its plugin is not installed."""
        return self.adapters().get(adapter_id)

    def session(self, session_id: str) -> Row | None:
        """Return one session; None when it is gone."""
        try:
            return self.row(self._transport().session(session_id))
        except ClawTapError:
            return None

    def row(self, session: Session) -> Row:
        """Return the row of a session, with its title and last line."""
        summary = self.summaries.of(session)
        return row(session, summary.title, summary.last_line)
