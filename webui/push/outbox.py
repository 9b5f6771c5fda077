"""What is told, and when: one notice a session, nothing that is in sight, nothing twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawtap_core.model import Event, Prompt, Session
from clawtap_core.schemas import load
from webui.markup.sanitizer import visible
from webui.viewmodels.outcome import outcome

QUIET = 1.0
AGAIN = 30.0
_ASKS = frozenset(("approval_required", "question_prompt"))
_LONGEST = 240
Tell = Callable[[Mapping[str, Any], str], None]


@dataclass
class _Told:
    """What is known of one session: its open prompts, how its turn ended, what was told of it."""

    session: Session
    open: dict[str, str] = field(default_factory=dict)
    ended: str = ""
    closing: str = ""
    shown: bool = False
    told: frozenset[str] = frozenset()


class Outbox:
    """Gathers events for a moment. `tell(notice, kind)` sends; kind: prompts, turns or withdraw."""

    def __init__(
        self,
        tell: Tell,
        watched: Callable[[str], bool],
        timer: Callable[..., threading.Timer] = threading.Timer,
    ) -> None:
        self._tell = tell
        self._watched = watched
        self._timer = timer
        self._lock = threading.Lock()
        self._sessions: dict[str, _Told] = {}
        self._running: threading.Timer | None = None

    def take(self, event: Event, session: Session) -> None:
        """An event of the `notify` hook."""
        with self._lock:
            about = self._sessions.setdefault(session.id, _Told(session))
            about.session = session
            self._note(about, event)
            self._later(QUIET)

    def close(self) -> None:
        """Send nothing more."""
        with self._lock:
            if self._running:
                self._running.cancel()

    def flush(self) -> None:
        """Tell what is due; what is in sight is looked at again later."""
        with self._lock:
            self._running = None
            due = [one for about in self._sessions.values() if (one := self._due(about))]
            if any(about.open and not about.shown for about in self._sessions.values()):
                self._later(AGAIN)
        for notice, kind in due:
            self._tell(notice, kind)

    def _later(self, seconds: float) -> None:
        if self._running is None or seconds < AGAIN:
            if self._running:
                self._running.cancel()
            self._running = self._timer(seconds, self.flush)
            self._running.daemon = True
            self._running.start()

    def _note(self, about: _Told, event: Event) -> None:
        data = event.data
        if event.type in _ASKS:
            about.open[str(data["requestId"])] = visible(str(data.get("title") or "It asks"))
            about.ended = about.closing = ""
        elif event.type == "prompt_resolved":
            about.open.pop(str(data["requestId"]), None)
            ended = outcome(load(Prompt, data))
            about.closing = f"{ended.words}{ended.who}" if ended else "Answered"
        elif event.type == "done":
            about.ended = "Finished"
        elif event.type == "session_error":
            about.ended = f"Failed: {visible(str(data.get('error') or 'something went wrong'))}"

    def _due(self, about: _Told) -> tuple[Mapping[str, Any], str] | None:
        session, waiting = about.session, frozenset(about.open)
        if about.open and waiting != about.told and not self._watched(session.id):
            about.shown, about.told = True, waiting
            return self._asks(about), "prompts"
        if not about.open and about.shown and about.closing:
            about.shown, about.told, words = False, waiting, about.closing
            about.closing = ""
            return {**_of(session, words), "close": True}, "withdraw"
        if not about.open and about.ended:
            words, about.ended = about.ended, ""
            if not self._watched(session.id):
                return {**_of(session, words), "url": f"/sessions/{session.id}"}, "turns"
        return None

    def _asks(self, about: _Told) -> Mapping[str, Any]:
        first, *others = about.open
        words = about.open[first]
        if others:
            words = f"{len(about.open)} questions need you: {words}"
        url = f"/sessions/{about.session.id}#prompt-{first}"
        waiting = sum(len(one.open) for one in self._sessions.values())
        return {**_of(about.session, words), "url": url, "waiting": waiting}


def _of(session: Session, words: str) -> dict[str, Any]:
    title = visible(session.title) or "ClawTap"
    return {
        "title": title[:_LONGEST],
        "body": words[:_LONGEST],
        "tag": f"session-{session.id}",
        "topic": f"s{session.id}"[:32],
    }
