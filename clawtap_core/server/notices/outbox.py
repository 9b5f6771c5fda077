"""Decide when notices are due: one for each session, later or never while the user is near."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from clawtap_core.model import Event, Notice, Prompt, Session
from clawtap_core.server.notices.session_news import SessionNews
from clawtap_core.server.notices.shown_notices import ShownNotices

GATHER_SECONDS = 1.0
RECHECK_SECONDS = 30.0
STORM_SECONDS = 60.0
STORM_NOTICES = 4
SUMMARY_SECONDS = 30.0
SUMMARY_TAG = "summary"
# After a restart the pages in use have said so again by then; they do every 20 s.
PAGES_REPORT_SECONDS = 25.0


class Timer(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel the call, unless it has begun."""


class Clock(Protocol):
    """Time, and calls at a later time; tests move it by hand."""

    def now(self) -> float:
        """Return a time in seconds that only grows."""

    def wall(self) -> datetime:
        """Return this machine's local time."""

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back once after this many seconds."""


class Surroundings(Protocol):
    """The conditions that decide whether a notice is due now."""

    def muted(self, session_id: str) -> bool:
        """Return True if there are no notices of this session, for now or at all."""

    def on_screen(self, session_id: str) -> bool:
        """Return True if the user looks at this session."""

    def grace(self) -> float:
        """Return how many seconds a notice waits; 0 if the user is not near."""

    def read(self, session_id: str, request_id: str) -> tuple[Prompt | None, str]:
        """Return a prompt, and all that it would do if a notice can offer its answers."""


@dataclass(frozen=True, slots=True)
class _Due:
    news: SessionNews
    kind: str


class Outbox:
    """Gathers events for a moment, then calls `send` with each notice that is due."""

    def __init__(
        self,
        send: Callable[[Notice], None],
        surroundings: Surroundings,
        clock: Clock,
        shown: ShownNotices,
    ) -> None:
        self._send = send
        self._shown = shown
        self._surroundings = surroundings
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: dict[str, SessionNews] = {}
        self._timer: Timer | None = None
        self._timer_at = 0.0
        self._sent_at: deque[float] = deque()
        self._summary_at: float | None = None
        self._summary_says = 0  # how many sessions need the user
        self._closed = False

    def take(self, event: Event, session: Session) -> None:
        """Record an event of the `notify` hook."""
        with self._lock:
            news = self._sessions.setdefault(session.id, SessionNews(session))
            news.session = session
            news.record(event, self._clock.now())
            self._schedule(GATHER_SECONDS)

    def recover(self, sessions: Iterable[tuple[Session, Sequence[Prompt]]]) -> None:
        """Take up the sessions of before a restart, with the prompts that still wait in each.

        The user is notified of prompts that no notice was about yet, and a notice whose prompts
        have ended is withdrawn.
        `sessions` is read while events wait, so that none is newer than what it says.
        """
        with self._lock:
            since = self._clock.now() + PAGES_REPORT_SECONDS
            for session, prompts in sessions:
                shown = self._shown.by_session.get(session.id)
                if prompts or shown:
                    news = self._sessions.setdefault(session.id, SessionNews(session))
                    news.recover(prompts, shown, since)
            self._summary_says = sum(
                notice.in_summary for notice in self._shown.by_session.values()
            )
            if self._sessions:
                self._schedule(GATHER_SECONDS)

    def close(self) -> None:
        """Send nothing more."""
        with self._lock:
            self._closed = True
            if self._timer:
                self._timer.cancel()

    def flush(self) -> None:
        """Send what is due; check again later what has to wait."""
        with self._lock:
            self._timer = None
            notices = [*self._withdrawals(), *self._bundled(self._due()), *self._lower_summary()]
            self._forget_quiet_sessions()
            shown = {key: news.shown_notice for key, news in self._sessions.items()}
            self._shown.store({key: notice for key, notice in shown.items() if notice})
        for notice in notices:
            self._send(notice)

    def _schedule(self, seconds: float) -> None:
        at = self._clock.now() + seconds
        if self._closed or (self._timer and self._timer_at <= at):
            return
        if self._timer:
            self._timer.cancel()
        self._timer, self._timer_at = self._clock.call_later(seconds, self.flush), at

    def _due(self) -> list[_Due]:
        due = []
        for news in self._sessions.values():
            if not (news.unsent_prompts or (news.turn_end and not news.titles)):
                continue
            wait = 0.0 if news.fewer else self._wait(news)
            if wait > 0:
                # The user may leave before the grace is over.
                self._schedule(min(wait, RECHECK_SECONDS))
            else:
                due.append(_Due(news, "prompts" if news.titles else "turns"))
        return due

    def _wait(self, news: SessionNews) -> float:
        """Return for how long a notice has to wait; the end of a turn on screen is dropped."""
        around, session_id = self._surroundings, news.session.id
        if around.muted(session_id) or around.on_screen(session_id):
            if not news.titles:
                news.sent()
            return RECHECK_SECONDS
        since = self._clock.now() if news.since is None else news.since
        return since + around.grace() - self._clock.now()

    def _bundled(self, due: list[_Due]) -> list[Notice]:
        """Return the notices of what is due, or one summary where they would be a storm."""
        now = self._clock.now()
        while self._sent_at and self._sent_at[0] <= now - STORM_SECONDS:
            self._sent_at.popleft()
        loud = [item for item in due if not item.news.fewer]
        if not loud or len(self._sent_at) + len(loud) <= STORM_NOTICES:
            self._sent_at.extend([now] * len(loud))
            return [self._notice(item) for item in due]
        if self._summary_at is not None and now < self._summary_at + SUMMARY_SECONDS:
            self._schedule(self._summary_at + SUMMARY_SECONDS - now)
            return []
        self._sent_at.extend([now] * len(loud))
        self._summary_at = now
        return [self._summary(due)]

    def _notice(self, due: _Due) -> Notice:
        news, at = due.news, self._clock.wall()
        if due.kind == "turns":
            notice = news.turn_notice(at, self._waiting)
        else:
            prompt, detail = None, ""
            if len(news.titles) == 1:
                request_id = next(iter(news.titles))
                prompt, detail = self._surroundings.read(news.session.id, request_id)
            notice = news.prompt_notice(at, self._waiting, prompt, detail)
        news.sent()
        return notice

    def _lower_summary(self) -> list[Notice]:
        """Return the summary again, silently, if fewer sessions wait than it says."""
        shown = any(news.summarised and news.titles for news in self._sessions.values())
        return [self._summary([])] if shown and self._asking < self._summary_says else []

    def _summary(self, due: list[_Due]) -> Notice:
        ended = sum(item.kind == "turns" for item in due)
        for item in due:
            item.news.sent(in_summary=True)
        self._summary_says = asking = self._asking
        need = "session needs" if asking == 1 else "sessions need"
        parts = [f"{asking} {need} you"] if asking else []
        parts += [f"{ended} finished"] if ended else []
        return Notice(
            "prompts" if asking else "turns", SUMMARY_TAG, "ClawTap", ", ".join(parts), "/",
            self._clock.wall(), silent=not due, waiting=self._waiting,
        )  # fmt: skip

    def _withdrawals(self) -> list[Notice]:
        at, notices = self._clock.wall(), []
        for news in self._sessions.values():
            if news.answered:
                notices.append(news.withdrawal(at, self._waiting))
                news.shown, news.notified, news.last_outcome = False, frozenset(), ""
        summarised = [news for news in self._sessions.values() if news.summarised]
        if summarised and not any(news.titles for news in summarised):
            for news in summarised:
                news.summarised, news.notified = False, frozenset()
            body = "All clear" if not self._waiting else "Answered"
            notices.append(
                Notice(
                    "withdrawn",
                    SUMMARY_TAG,
                    "ClawTap",
                    body,
                    "/",
                    at,
                    silent=True,
                    waiting=self._waiting,
                )
            )
        return notices

    @property
    def _asking(self) -> int:
        return sum(bool(news.titles) for news in self._sessions.values())

    @property
    def _waiting(self) -> int:
        return sum(len(news.titles) for news in self._sessions.values())

    def _forget_quiet_sessions(self) -> None:
        self._sessions = {
            session_id: news
            for session_id, news in self._sessions.items()
            if news.titles or news.turn_end or news.shown or news.summarised
        }
