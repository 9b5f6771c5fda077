"""What partials need beside an event's own data: adapters and sessions, by their ids."""

from __future__ import annotations

from collections.abc import Callable

from clawtap_core.errors import ClawTapError
from clawtap_core.model import AdapterInfo
from clawtap_core.schemas import dump
from clawtap_core.transport import Transport
from webui.viewmodels.session_row import Row, row


class Lookup:
    """Finds them through a transport; adapters do not change, so they are asked for once."""

    def __init__(self, transport: Callable[[], Transport]) -> None:
        self._transport = transport
        self._adapters: dict[str, AdapterInfo] = {}

    def adapters(self) -> dict[str, AdapterInfo]:
        """Every adapter by its id."""
        if not self._adapters:
            found = self._transport().adapters()
            self._adapters = {status.info.id: status.info for status in found}
        return self._adapters

    def adapter(self, adapter_id: str) -> AdapterInfo | None:
        """One adapter; None when its plugin is not there."""
        return self.adapters().get(adapter_id)

    def session(self, session_id: str) -> Row | None:
        """One session; None when it is gone."""
        try:
            return row(dump(self._transport().session(session_id)))
        except ClawTapError:
            return None
