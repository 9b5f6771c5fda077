"""Summaries of sessions: their titles and the last line of each conversation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Event, Message, Session
from clawtap_core.schemas import load
from clawtap_core.session_titles import MESSAGES, conversation_title, first_line
from clawtap_core.transport import Transport
from webui.markup.sanitizer import visible

_LONGEST = 160
_STALE_AFTER = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Summary:
    """The CLI's own title or the first message, and the last line; "" where there is none."""

    title: str = ""
    last_line: str = ""


class Summaries:
    """Reads a session's summary when it is first shown, and again after each turn."""

    def __init__(self, transport: Callable[[], Transport]) -> None:
        self._transport = transport
        self._lock = threading.Lock()
        self._by_session: dict[str, tuple[Summary, datetime]] = {}

    def of(self, session: Session) -> Summary:
        """Return the summary of a session."""
        with self._lock:
            summary, read_at = self._by_session.get(session.id, (None, session.created_at))
        # Events are recorded only while a page listens: what is empty or old is read again.
        if not summary or not summary.last_line or session.last_activity - read_at > _STALE_AFTER:
            summary = self._read(session)
            with self._lock:
                self._by_session[session.id] = (summary, session.last_activity)
        # A title that somebody gave is the session's own; one of the folder says nothing.
        return replace(summary, title="") if session.has_own_title else summary

    def record(self, event: Event) -> None:
        """Take the last line from a message; forget a session whose turn or life ended."""
        session_id = event.session_id or ""
        with self._lock:
            if event.type in ("done", "messages_removed", "session_rekeyed", "session_removed"):
                self._by_session.pop(session_id, None)
            elif event.type == "message" and session_id in self._by_session:
                summary, _ = self._by_session[session_id]
                line = _line(load(Message, event.data)) or summary.last_line
                self._by_session[session_id] = (Summary(summary.title or line, line), event.at)

    def _read(self, session: Session) -> Summary:
        transport = self._transport()
        try:
            page = transport.messages(session.id, limit=MESSAGES)
        except ClawTapError:
            return Summary()
        lines = [line for message in page.messages if (line := _line(message))]
        title = conversation_title(transport, session, page.messages, complete=not page.more)
        return Summary(_short(title), lines[-1] if lines else "")


def _line(message: Message) -> str:
    return _short(first_line(message))


def _short(text: str) -> str:
    return visible(" ".join(text.split()))[:_LONGEST]
