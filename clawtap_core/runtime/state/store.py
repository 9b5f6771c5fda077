"""What is true now, in memory and in the journal: sessions, prompts, queues.

Every change is written before it is told. The lock is held for short, never while a pane or a
CLI is waited for.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.journal.api import Change, Journal
from clawtap_core.model import (
    Actor,
    Event,
    Prompt,
    PromptForm,
    PromptState,
    QueuedMessage,
    Session,
    Snapshot,
)
from clawtap_core.prompts.broker import Broker
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.event_stream import EventStream
from clawtap_core.schemas import dump

Told = Callable[[Event, Session], None]


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(timezone.utc)


def new_id() -> str:
    """A short id that nobody guesses."""
    return secrets.token_hex(6)


class StateStore:
    """The one place that changes what is true. `told` hears of every event of a session.

    `on_end` hears of every prompt that ended, with the lock held: it must not wait. `on_say` hears
    of what is told and not kept.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        now: Callable[[], datetime] = utc_now,
        told: Told = lambda event, session: None,
    ) -> None:
        self.lock = threading.RLock()
        self.journal = journal
        self.now = now
        self.broker = Broker(now, new_id, journal.prompt)
        self.stream = EventStream(journal, self._snapshot_event)
        self.on_end: Callable[[Prompt], None] = lambda prompt: None
        self.on_say: Callable[[Event], None] = lambda event: None
        self._ended = threading.Condition(self.lock)
        self._closed = False
        self._told = told
        kept = journal.kept()
        self.notes = dict(kept.notes)
        self._sessions = {session.id: session for session in kept.sessions}
        self._queues: dict[str, list[QueuedMessage]] = {}
        for message in kept.queue:
            self._queues.setdefault(message.session_id, []).append(message)
        self.broker.restore(kept.prompts)

    def write(
        self,
        happened: Sequence[Event],
        *,
        keep: Sequence[Session | Prompt | QueuedMessage] = (),
        drop: Sequence[Session | QueuedMessage] = (),
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        """Write events with what follows from them, then tell everybody."""
        with self.lock:
            self._note(notes or {})
            change = Change(tuple(keep), tuple(drop), notes or {})
            written = self.journal.append(happened, change)
            self.stream.publish(written)
        for event in written:
            if session := self._sessions.get(event.session_id or ""):
                self._told(event, session)

    def _note(self, notes: Mapping[str, Any]) -> None:
        for name, note in notes.items():
            if note is None:
                self.notes.pop(name, None)
            else:
                self.notes[name] = note

    def say(self, event: Event) -> None:
        """Tell what is not kept: deltas and screens."""
        self.stream.publish([event])
        self.on_say(event)

    def sessions(self) -> list[Session]:
        """Every session, newest activity first."""
        with self.lock:
            found = [self._counted(session) for session in self._sessions.values()]
        return sorted(found, key=lambda session: session.last_activity, reverse=True)

    def session(self, session_id: str) -> Session:
        """One session; NotFound when there is none."""
        with self.lock:
            if session := self._sessions.get(session_id):
                return self._counted(session)
        raise NotFound(f"no such session: {session_id!r}", code=ErrorCode.SESSION_NOT_FOUND)

    def add_session(self, session: Session) -> None:
        """A session began."""
        with self.lock:
            self._sessions[session.id] = session
            self.write([events.session_status(session, self.now())], keep=[session])

    def change_session(self, session_id: str, **changes: Any) -> Session:
        """Change a session's fields; told and written only when something is different."""
        with self.lock:
            before = self.session(session_id)
            after = replace(before, **changes)
            if after == before:
                return before
            after = replace(after, last_activity=self.now())
            self._sessions[session_id] = after
            self.write([events.session_status(after, self.now())], keep=[after])
            return after

    def touch(self, session_id: str) -> None:
        """Something moved in a session; not worth an event."""
        with self.lock:
            if session := self._sessions.get(session_id):
                self._sessions[session_id] = replace(session, last_activity=self.now())

    def drop_session(self, session: Session) -> None:
        """Take an ended session off the list."""
        with self.lock:
            queue = self._queues.pop(session.id, [])
            self._sessions.pop(session.id, None)
            gone = events.noted("session_removed", session.id, self.now())
            notes = {name: None for name in self.notes if name.split(":")[1:2] == [session.id]}
            self.write([gone], drop=[session, *queue], notes=notes)

    def find_prompt(self, name: str, session_id: str | None = None) -> Prompt:
        """A prompt by its requestId or toolCallId, open or ended; NotFound when there is none."""
        with self.lock:
            return self.broker.find(name, session_id)

    def end_prompt(
        self,
        request_id: str,
        outcome: PromptState,
        *,
        actor: Actor | None = None,
        detail: str | None = None,
    ) -> Prompt:
        """End a prompt, if nothing ended it before; the prompt as it ended."""
        with self.lock:
            prompt = self.broker.find(request_id)
            if prompt.state.open:
                prompt = self.broker.resolve(request_id, outcome, actor=actor, detail=detail)
                self.write([events.resolved(prompt, self.now())], keep=[prompt])
                self._ended.notify_all()
                self.on_end(prompt)
            return prompt

    def update_prompt(self, request_id: str, form: PromptForm) -> Prompt:
        """More is known of a prompt that is open; told and written only when it is different."""
        with self.lock:
            prompt = self.broker.find(request_id)
            if prompt.state.open and prompt.form != form:
                prompt = self.broker.update(request_id, form)
                self.write([events.updated(prompt, self.now())], keep=[prompt])
            return prompt

    def open_prompts(self, session_id: str) -> list[Prompt]:
        """A session's prompts that wait, oldest first."""
        with self.lock:
            return self.broker.open(session_id)

    def next_deadline(self) -> datetime | None:
        """When the time of the next prompt will be over."""
        with self.lock:
            return self.broker.next_deadline()

    def wait_for_end(self, name: str, seconds: float) -> Prompt:
        """A prompt as soon as it ended, or as it stands after so many seconds."""

        def over() -> bool:
            return self._closed or not self.find_prompt(name).state.open

        with self._ended:
            self._ended.wait_for(over, seconds)
            return self.find_prompt(name)

    def close(self) -> None:
        """Let go of everybody who waits or reads."""
        with self._ended:
            self._closed = True
            self._ended.notify_all()
        self.stream.close()

    def queue(self, session_id: str) -> list[QueuedMessage]:
        """What is queued for a session, first to be sent first."""
        with self.lock:
            return list(self._queues.get(session_id, ()))

    def change_queue(
        self,
        session_id: str,
        queue: list[QueuedMessage],
        *,
        keep: Sequence[QueuedMessage] = (),
        drop: Sequence[QueuedMessage] = (),
        also: Sequence[Event] = (),
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        """Replace a session's queue."""
        with self.lock:
            self._queues[session_id] = queue
            changed = events.queue_update(session_id, queue, self.now())
            self.write([*also, changed], keep=keep, drop=drop, notes=notes)

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        """All that is now."""
        with self.lock:
            sessions = [self.session(session_id)] if session_id else self.sessions()
            queue = [m for session in sessions for m in self.queue(session.id)]
            return Snapshot(
                f"{self.journal.epoch}-{self.journal.last}",
                tuple(sessions),
                tuple(self.broker.open(session_id)),
                tuple(queue),
            )

    def _snapshot_event(self, session_id: str | None) -> Event:
        with self.lock:
            data = dump(self.snapshot(session_id))
            if session_id:
                data["sessionId"] = session_id
            return Event("snapshot", self.now(), session_id, data, self.journal.last)

    def _counted(self, session: Session) -> Session:
        pending = len(self.broker.open(session.id))
        return replace(session, pending=pending, queued=len(self._queues.get(session.id, ())))
