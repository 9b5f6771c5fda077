"""Usage limits: a session is limited from the CLI's report until the time that it names.

A session that works again before that ends its limit itself (`state.limited`).
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Unavailable
from clawtap_core.model import Actor, Event, QueuedMessage, Session, UsageLimit
from clawtap_core.model.moments import parse_time
from clawtap_core.prompts.sanitize import sendable
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore, new_id
from clawtap_core.runtime.timings import Scheduled, Scheduler, Timings
from clawtap_core.transcripts.usage_limit import USAGE_LIMIT

log = logging.getLogger(__name__)


@dataclass(eq=False)
class UsageLimits:
    """The limits of all sessions.

    `send` sends a message as an actor, or reports in its session why it cannot be sent. `flush` is
    called when a limit has ended.
    """

    store: StateStore
    send: Callable[[QueuedMessage, Actor], None]
    flush: Callable[[Session], None]
    timings: Timings
    scheduler: Scheduler
    _timers: dict[str, Scheduled] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False

    def recover(self) -> None:
        """Wait for the ends of the limits from before a restart."""
        for session in self.store.sessions():
            self._set_timer(session)

    def close(self) -> None:
        """Stop waiting; planned messages are kept."""
        with self._lock:
            self._closed = True
            for timer in self._timers.values():
                timer.cancel()

    def on_event(self, event: Event, session: Session) -> None:
        """Take note of a limit that a CLI reported, and wait for its end."""
        if event.type == "session_error" and event.data.get("code") == USAGE_LIMIT:
            self._record_limit(session, event)
        elif event.type == "session_status":
            self._set_timer(session)

    def resume_later(self, session_id: str, message: str | None, actor: Actor) -> Session:
        """Send this message once the limit has ended; None cancels that."""
        text = None if message is None else sendable(message)
        with self.store.exclusive():
            limit = self._limit(session_id)
            if text and limit.ends_at is None:
                raise Conflict("the CLI does not say when this limit ends", code=ErrorCode.NOT_NOW)
            # Journalled first: what the disk refuses is not done.
            self._journal("limit_resume", session_id, actor, **({"message": text} if text else {}))
            return self.store.change_session(session_id, limit=replace(limit, resume=text))

    def dismiss(self, session_id: str, actor: Actor) -> Session:
        """Treat a limit as ended, for example after the user chose another model."""
        with self.store.exclusive():
            self._limit(session_id)
            self._journal("limit_dismissed", session_id, actor)
            session = self.store.change_session(session_id, limit=None)
        threading.Thread(target=self.flush, args=(session,), daemon=True).start()
        return session

    def _limit(self, session_id: str) -> UsageLimit:
        if limit := self.store.session(session_id).limit:
            return limit
        raise Conflict("this session has no usage limit", code=ErrorCode.NOT_NOW)

    def _journal(self, kind: str, session_id: str, actor: Actor, **data: str) -> None:
        self.store.commit([events.user_action(kind, session_id, self.store.now(), actor, **data)])

    def _record_limit(self, session: Session, event: Event) -> None:
        ends = event.data.get("endsAt")
        ends_at = parse_time(ends) if ends else None
        if ends_at is None or ends_at > self.store.now():
            continues = bool(event.data.get("continues"))
            limit = UsageLimit(str(event.data.get("error", "")), ends_at, continues=continues)
            self.store.change_session(session.id, limit=limit)

    def _set_timer(self, session: Session) -> None:
        """Set the timer for the end of a session's limit."""
        with self._lock:
            if timer := self._timers.pop(session.id, None):
                timer.cancel()
            if session.limit is None or session.limit.ends_at is None or self._closed:
                return
            # A machine that slept counts time in another way: no single wait is long.
            wait = min(max(self._seconds_left(session.limit), 0.0), self.timings.expiry_longest)
            self._timers[session.id] = self.scheduler.call_later(
                wait, lambda: self._check_end(session.id)
            )

    def _seconds_left(self, limit: UsageLimit) -> float:
        """Return the seconds until a limit is over; infinity if its end is not known."""
        if limit.ends_at is None:
            return math.inf
        timings = self.timings
        grace = timings.limit_continues if limit.continues else timings.limit_grace
        return (limit.ends_at - self.store.now()).total_seconds() + grace

    def _check_end(self, session_id: str) -> None:
        try:
            session = self.store.session(session_id)
            if session.limit and self._seconds_left(session.limit) <= 0:
                self._end_limit(session_id)
            else:
                self._set_timer(session)
        except ClawTapError as error:
            log.info("not resumed: %s", error.message, extra={"session": session_id})
        except Exception:
            log.warning("the end of a limit failed", exc_info=True, extra={"session": session_id})

    def _end_limit(self, session_id: str) -> None:
        with self.store.exclusive():
            limit = self.store.session(session_id).limit
            if limit is None:
                return
            # First, so that a server that dies here sends nothing twice.
            session = self.store.change_session(session_id, limit=None)
        if limit.resume and not session.state.over:
            self._resume(session_id, limit, limit.resume)
        else:
            self.flush(session)

    def _resume(self, session_id: str, limit: UsageLimit, text: str) -> None:
        message = QueuedMessage(new_id(), session_id, text, self.store.now())
        try:
            self.send(message, RESUMER)
        except Unavailable:
            if all(queued.id != message.id for queued in self.store.queue(session_id)):
                # A disk that is full now may not be so later: the message stays planned.
                later = self.store.now() + timedelta(seconds=self.timings.limit_retry)
                self.store.change_session(session_id, limit=replace(limit, ends_at=later))
            raise


RESUMER = Actor("clawtap", "usage limit")
