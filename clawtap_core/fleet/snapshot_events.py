"""Events of snapshots, each made once for all clients.

When a machine comes or goes every client gets one: with many sessions and clients, making it for
each of them would take minutes.
"""

from __future__ import annotations

import threading
from datetime import datetime, timezone

from clawtap_core.model import Cursor, Event, Snapshot
from clawtap_core.schemas import dump


class SnapshotEvents:
    """The maker of these events, which keeps the latest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: tuple[Snapshot, Event] | None = None

    def event(self, snapshot: Snapshot, session_id: str | None) -> Event:
        """Return the event of a snapshot, of all sessions or of one."""
        if session_id:
            return _snapshot_event(snapshot, session_id)
        with self._lock:
            if self._latest is None or self._latest[0] != snapshot:
                self._latest = (snapshot, _snapshot_event(snapshot))
            return self._latest[1]


def _snapshot_event(snapshot: Snapshot, session_id: str | None = None) -> Event:
    data = dump(snapshot)
    if session_id:
        data["sessionId"] = session_id
    seq = int(Cursor.parse(snapshot.cursor).local.rpartition("-")[2])
    return Event("snapshot", datetime.now(timezone.utc), session_id, data, seq)
