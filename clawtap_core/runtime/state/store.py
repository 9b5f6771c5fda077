"""The current state, in memory and in the journal.

Every change is journalled before it is published. The lock is never held while something waits
for a pane or a CLI.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.journal.api import Journal
from clawtap_core.model import (
    Actor,
    Event,
    Prompt,
    PromptForm,
    PromptState,
    QueuedMessage,
    Response,
    Session,
    SessionState,
    Snapshot,
    Step,
)
from clawtap_core.model.moments import utc_now
from clawtap_core.prompts.broker import Broker
from clawtap_core.prompts.validation import validate_response
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.committed_events import CommittedEvents
from clawtap_core.runtime.state.limit_state import with_limit
from clawtap_core.schemas import dump


def new_id() -> str:
    """Return a short id that nobody can guess."""
    return secrets.token_hex(6)


class StateStore(CommittedEvents):
    """The one place that changes sessions, prompts and queues."""

    def __init__(self, journal: Journal, *, now: Callable[[], datetime] = utc_now) -> None:
        kept = journal.kept()
        self._sessions = {session.id: session for session in kept.sessions}
        super().__init__(journal, kept.markers, self._snapshot_event, self._sessions.get, now)
        self._broker = Broker(now, new_id, journal.prompt)
        self._prompt_ended = threading.Condition(self._lock)
        self._closed = False
        self._queues: dict[str, list[QueuedMessage]] = {}
        for message in kept.queue:
            self._queues.setdefault(message.session_id, []).append(message)
        self._broker.recover(kept.prompts)

    # Sessions

    def sessions(self) -> list[Session]:
        """Return every session, latest activity first."""
        with self._lock:
            found = [self._counted(session) for session in self._sessions.values()]
        return sorted(found, key=lambda session: session.last_activity, reverse=True)

    def session(self, session_id: str) -> Session:
        """Return one session; NotFound if it does not exist."""
        with self._lock:
            if session := self._sessions.get(session_id):
                return self._counted(session)
        raise NotFound(f"no such session: {session_id!r}", code=ErrorCode.SESSION_NOT_FOUND)

    def add_session(self, session: Session) -> None:
        """Add a session."""
        with self._lock:
            self._sessions[session.id] = session
            try:
                self.commit([events.session_status(session, self.now())], upsert=[session])
            except BaseException:
                del self._sessions[session.id]
                raise

    def change_session(self, session_id: str, **changes: Any) -> Session:
        """Change a session's fields; nothing happens if they are the same."""
        with self._lock:
            before = self.session(session_id)
            after = with_limit(before, replace(before, **changes))
            if after == before:
                return before
            after = replace(after, last_activity=self.now())
            self._sessions[session_id] = after
            event = events.session_status(after, self.now())
            self.commit([event], upsert=[after], happened=True)
            return after

    def archive_session(self, session_id: str, archived: bool) -> Session:
        """Take a session off the list or put it back; this does not count as activity."""
        with self._lock:
            before = self.session(session_id)
            session = replace(before, archived=archived)
            if session != before:
                self._sessions[session_id] = session
                try:
                    self.commit([events.session_status(session, self.now())], upsert=[session])
                except BaseException:
                    self._sessions[session_id] = before
                    raise
            return session

    def touch(self, session_id: str) -> None:
        """Update a session's last activity without an event."""
        with self._lock:
            if session := self._sessions.get(session_id):
                self._sessions[session_id] = replace(session, last_activity=self.now())

    def drop_session(self, session: Session) -> None:
        """Remove an ended session."""
        with self._lock:
            queue = self._queues.pop(session.id, [])
            self._sessions.pop(session.id, None)
            gone = events.session_event("session_removed", session.id, self.now())
            markers = {name: None for name in self._markers if name[0] == session.id}
            self.commit([gone], delete=[session, *queue], markers=markers, happened=True)

    def end_session(self, session_id: str, reason: str, *, lost: bool = False) -> None:
        """Cancel a session's prompts and end it, unless it has ended already.

        It is `lost` if nobody ended it: it can be restored.
        """
        with self._lock:
            for prompt in self._broker.open(session_id):
                self.end_prompt(prompt.request_id, PromptState.CANCELLED, detail=reason)
            if not self.session(session_id).state.over:
                state = SessionState.LOST if lost else SessionState.ENDED
                self.change_session(session_id, state=state, detail=reason)

    # Prompts

    def add_prompt(
        self,
        session_id: str,
        channel: str,
        form: PromptForm,
        expires_at: datetime | None = None,
        default: str | None = None,
        happened: bool = True,
    ) -> Prompt:
        """Add a new prompt; a CLI that asks has `happened`, as in `commit`."""
        with self._lock:
            prompt = self._broker.appear(session_id, channel, form, expires_at, default)
            event = events.prompt_opened(prompt, self.now())
            try:
                self.commit([event], upsert=[prompt], happened=happened)
            except BaseException:
                self._broker.forget(prompt.request_id)
                raise
            return prompt

    def find_prompt(self, name: str, session_id: str | None = None) -> Prompt:
        """Return a prompt by its requestId or toolCallId; NotFound if it does not exist."""
        with self._lock:
            return self._broker.find(name, session_id)

    def begin_answer(
        self, request_id: str, response: Response, actor: Actor
    ) -> tuple[Prompt, Response]:
        """Reserve a prompt for this validated answer; Conflict if another was first."""
        with self._lock:
            prompt = self._broker.find(request_id)
            if prompt.state is PromptState.PENDING:
                response = validate_response(prompt.form, response)
            return self._broker.begin(prompt, response, actor), response

    def record_delivery(
        self,
        request_id: str,
        *,
        steps: Sequence[Step] = (),
        withheld: str = "",
        via: str | None = None,
    ) -> None:
        """Record how an answer is about to be delivered: by keys, or by a hook or daemon (`via`).

        With the reason in `withheld`: these steps were written, and not typed after all.
        """
        with self._lock:
            prompt, now = self._broker.find(request_id), self.now()
            by_keys = events.prompt_updated(prompt, now, steps, withheld)
            self.commit(
                [events.answered_by_hook(prompt, now, via) if via else by_keys], upsert=[prompt]
            )

    def release_prompt(self, request_id: str, *, announce: bool = False) -> None:
        """Reopen a prompt whose answer did not reach the CLI."""
        with self._lock:
            if self._broker.find(request_id).state is PromptState.ANSWERING:
                prompt = self._broker.release(request_id)
                if announce:
                    event = events.prompt_updated(prompt, self.now())
                    self.commit([event], upsert=[prompt], happened=True)

    def extend_prompt(self, request_id: str, expires_at: datetime | None) -> Prompt:
        """Set a prompt's deadline; None removes it."""
        with self._lock:
            before = self._broker.find(request_id).expires_at
            prompt = self._broker.extend(request_id, expires_at)
            try:
                self.commit([events.prompt_updated(prompt, self.now())], upsert=[prompt])
            except BaseException:
                self._broker.extend(request_id, before)
                raise
            return prompt

    def end_prompt(
        self,
        request_id: str,
        outcome: PromptState,
        *,
        actor: Actor | None = None,
        detail: str | None = None,
    ) -> Prompt:
        """End a prompt, unless it has ended already; return it."""
        with self._lock:
            prompt = self._broker.find(request_id)
            if prompt.state.open:
                prompt = self._broker.resolve(request_id, outcome, actor=actor, detail=detail)
                event = events.prompt_resolved(prompt, self.now())
                # It ended, whether or not the disk takes it: saying otherwise would be wrong.
                self.commit([event], upsert=[prompt], happened=True)
                self._prompt_ended.notify_all()
            return prompt

    def update_prompt(self, request_id: str, form: PromptForm) -> Prompt:
        """Replace an open prompt's form; nothing happens if it is the same."""
        with self._lock:
            prompt = self._broker.find(request_id)
            if prompt.state.open and prompt.form != form:
                prompt = self._broker.update(request_id, form)
                event = events.prompt_updated(prompt, self.now())
                self.commit([event], upsert=[prompt], happened=True)
            return prompt

    def open_prompts(self, session_id: str | None = None) -> list[Prompt]:
        """Return the open prompts, of one session or of all, oldest first."""
        with self._lock:
            return self._broker.open(session_id)

    def expired_prompts(self) -> list[Prompt]:
        """Return the open prompts whose deadline has passed."""
        with self._lock:
            return self._broker.expired()

    def next_deadline(self) -> datetime | None:
        """Return when the next prompt expires, or None."""
        with self._lock:
            return self._broker.next_deadline()

    def wait_for_end(self, name: str, seconds: float) -> Prompt:
        """Return a prompt when it has ended, or after these seconds."""

        def over() -> bool:
            return self._closed or not self.find_prompt(name).state.open

        with self._prompt_ended:
            self._prompt_ended.wait_for(over, seconds)
            return self.find_prompt(name)

    @property
    def closed(self) -> bool:
        """Return True if the runtime is stopping."""
        return self._closed

    def close(self) -> None:
        """End every wait and every stream."""
        with self._prompt_ended:
            self._closed = True
            self._prompt_ended.notify_all()
        super().close()

    # Queues

    def queue(self, session_id: str) -> list[QueuedMessage]:
        """Return a session's queued messages, in the order of sending."""
        with self._lock:
            return list(self._queues.get(session_id, ()))

    def change_queue(
        self,
        session_id: str,
        queue: list[QueuedMessage],
        *,
        upsert: Sequence[QueuedMessage] = (),
        delete: Sequence[QueuedMessage] = (),
        also: Sequence[Event] = (),
        markers: Mapping[tuple[str, str], Any] | None = None,
        happened: bool = False,
    ) -> None:
        """Replace a session's queue; `happened` as in `commit`."""
        with self._lock:
            before = self.queue(session_id)
            self._queues[session_id] = queue
            changed = events.queue_update(session_id, queue, self.now())
            try:
                self.commit(
                    [*also, changed],
                    upsert=upsert,
                    delete=delete,
                    markers=markers,
                    happened=happened,
                )
            except BaseException:
                self._queues[session_id] = before
                raise

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        """Return the current state, of all sessions or of one."""
        with self._lock:
            sessions = [self.session(session_id)] if session_id else self.sessions()
            queue = [m for session in sessions for m in self.queue(session.id)]
            return Snapshot(
                self.cursor,
                tuple(sessions),
                tuple(self._broker.open(session_id)),
                tuple(queue),
            )

    def _snapshot_event(self, session_id: str | None) -> Event:
        with self._lock:
            data = dump(self.snapshot(session_id))
            if session_id:
                data["sessionId"] = session_id
            return Event("snapshot", self.now(), session_id, data, self.journal.last)

    def _counted(self, session: Session) -> Session:
        pending = self._broker.count(session.id)
        queued = len(self._queues.get(session.id, ()))
        if (session.pending, session.queued) == (pending, queued):
            return session
        return replace(session, pending=pending, queued=queued)
