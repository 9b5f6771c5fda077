"""Who told of a session's calls: a CLI that is spoken to, or its transcript."""

from __future__ import annotations

import threading

from clawtap_core.model import Event

PROTOCOL, TRANSCRIPT = "protocol", "transcript"
_ONCE = ("tool_call_start", "tool_call_end", "tool_result")
_MOST = 5000


class EventDeduplicator:
    """A call is told by whoever knows of it first, and not again by the other.

    A CLI may tell of a call long before it writes it down, or the other way round.
    """

    def __init__(self) -> None:
        self._tellers: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    def new(self, event: Event, teller: str) -> bool:
        """Whether this is to be told: the other has not told it."""
        call = event.data.get("toolCallId")
        if event.type not in _ONCE or not call:
            return True
        with self._lock:
            first = self._tellers.setdefault((event.type, call), teller)
            if len(self._tellers) > _MOST:
                del self._tellers[next(iter(self._tellers))]
        return first == teller
