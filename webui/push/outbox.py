"""Which notices to send, and when: one for each session, none for a session on screen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawtap_core.model import Event, Prompt, Session
from clawtap_core.schemas import load
from webui.markup.sanitizer import visible
from webui.viewmodels.outcome import outcome

GATHER_SECONDS = 1.0
RECHECK_SECONDS = 30.0
_PROMPT_OPENED = frozenset(("approval_required", "question_prompt"))
_LONGEST = 240
Send = Callable[[Mapping[str, Any], str], None]


@dataclass
class _SessionNews:
    """What happened in one session since its last notice."""

    session: Session
    titles: dict[str, str] = field(default_factory=dict)  # of open prompts, by request id
    turn_end: str = ""
    last_outcome: str = ""
    notice_shown: bool = False
    notified_prompts: frozenset[str] = frozenset()

    def record(self, event: Event) -> None:
        """Record an event of the session."""
        data = event.data
        if event.type in _PROMPT_OPENED:
            self.titles[str(data["requestId"])] = visible(str(data.get("title") or "A question"))
            self.turn_end = self.last_outcome = ""
        elif event.type == "prompt_resolved":
            self.titles.pop(str(data["requestId"]), None)
            ended = outcome(load(Prompt, data))
            self.last_outcome = f"{ended.words}{ended.who}" if ended else "Answered"
        elif event.type == "done":
            self.turn_end = "Finished"
        elif event.type == "session_error":
            error = visible(str(data.get("error") or "something went wrong"))
            self.turn_end = f"Failed: {error}"


class Outbox:
    """Gathers events for a moment, then calls `send(notice, kind)`.

    The kind is "prompts", "turns", or "withdraw".
    """

    def __init__(
        self,
        send: Send,
        on_screen: Callable[[str], bool],
        timer: Callable[..., threading.Timer] = threading.Timer,
    ) -> None:
        self._send = send
        self._on_screen = on_screen
        self._timer = timer
        self._lock = threading.Lock()
        self._sessions: dict[str, _SessionNews] = {}
        self._pending: threading.Timer | None = None

    def take(self, event: Event, session: Session) -> None:
        """Record an event of the `notify` hook."""
        with self._lock:
            news = self._sessions.setdefault(session.id, _SessionNews(session))
            news.session = session
            news.record(event)
            self._schedule(GATHER_SECONDS)

    def close(self) -> None:
        """Send nothing more."""
        with self._lock:
            if self._pending:
                self._pending.cancel()

    def flush(self) -> None:
        """Send what is due; sessions on screen are checked again later."""
        with self._lock:
            self._pending = None
            due = [pair for news in self._sessions.values() if (pair := self._due(news))]
            if any(news.titles and not news.notice_shown for news in self._sessions.values()):
                self._schedule(RECHECK_SECONDS)
        for notice, kind in due:
            self._send(notice, kind)

    def _schedule(self, seconds: float) -> None:
        if self._pending is None or seconds < RECHECK_SECONDS:
            if self._pending:
                self._pending.cancel()
            self._pending = self._timer(seconds, self.flush)
            self._pending.daemon = True
            self._pending.start()

    def _due(self, news: _SessionNews) -> tuple[Mapping[str, Any], str] | None:
        session_id, open_prompts = news.session.id, frozenset(news.titles)
        changed = bool(open_prompts) and open_prompts != news.notified_prompts
        if changed and not self._on_screen(session_id):
            news.notice_shown, news.notified_prompts = True, open_prompts
            return self._prompt_notice(news), "prompts"
        if not open_prompts and news.notice_shown and news.last_outcome:
            body, news.last_outcome = news.last_outcome, ""
            news.notice_shown, news.notified_prompts = False, open_prompts
            return {**_notice(news.session, body), "close": True}, "withdraw"
        if not open_prompts and news.turn_end:
            body, news.turn_end = news.turn_end, ""
            if not self._on_screen(session_id):
                return {**_notice(news.session, body), "url": f"/sessions/{session_id}"}, "turns"
        return None

    def _prompt_notice(self, news: _SessionNews) -> Mapping[str, Any]:
        first, *others = news.titles
        body = news.titles[first]
        if others:
            body = f"{len(news.titles)} questions need you: {body}"
        url = f"/sessions/{news.session.id}#prompt-{first}"
        waiting = sum(len(each.titles) for each in self._sessions.values())
        return {**_notice(news.session, body), "url": url, "waiting": waiting}


def _notice(session: Session, body: str) -> dict[str, Any]:
    return {
        "title": (visible(session.title) or "ClawTap")[:_LONGEST],
        "body": body[:_LONGEST],
        "tag": f"session-{session.id}",
        # Push services take 32 characters at most.
        "topic": f"s{session.id}"[:32],
    }
