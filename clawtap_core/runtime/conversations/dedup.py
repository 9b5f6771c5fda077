"""Merging two sources of a session's calls: its protocol and its transcript."""

from __future__ import annotations

import threading

from clawtap_core.limited_dict import LimitedDict
from clawtap_core.model import Event

PROTOCOL, TRANSCRIPT = "protocol", "transcript"
_ONCE = ("tool_call_start", "tool_call_end", "tool_result")
_MOST = 5000


class EventDeduplicator:
    """A filter that lets an event pass from the source that reports it first.

    A CLI may report a call long before it writes it down, or the other way round.
    """

    def __init__(self) -> None:
        self._sources: LimitedDict[tuple[str, str], str] = LimitedDict(_MOST)
        self._lock = threading.Lock()

    def accepts(self, event: Event, source: str) -> bool:
        """Return True if no other source has emitted this event yet."""
        call = event.data.get("toolCallId")
        if event.type not in _ONCE or not call:
            return True
        with self._lock:
            first = self._sources.setdefault((event.type, call), source)
        return first == source
