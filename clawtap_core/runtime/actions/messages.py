"""Messages: queued first, typed only into an idle, empty composer, each exactly once.

A CLI that is spoken to gets them as they are, while it is idle.

Two notes tell a restart how far the first message of a session's queue came: `typed:SESSION`
stands while its text may be in the composer, `sending:SESSION` once Enter may have been pressed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clawtap_core.errors import (
    BadRequest,
    ClawTapError,
    Conflict,
    ErrorCode,
    NotConfirmed,
    NotFound,
)
from clawtap_core.model import Actor, Attachment, Event, Press, QueuedMessage, Sent, Session, Step
from clawtap_core.prompts.sanitize import strip_control_chars
from clawtap_core.runtime.actions.attachments import whole
from clawtap_core.runtime.actions.message_target import MessageDelivery, MessageTarget
from clawtap_core.runtime.delivery.executor import Delivered
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import Markers, StateStore, new_id
from clawtap_core.runtime.timings import Timings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class MessageQueue:
    """The queues of all sessions.

    `target` finds what takes a session's messages while it runs, and raises Impossible where
    nothing ever does; `wake` starts a session that ended once more, where that can be.
    """

    store: StateStore
    target: Callable[[Session], MessageTarget | None]
    wake: Callable[[Session], bool]
    timings: Timings
    _typing: set[str] = field(default_factory=set)
    _fates: dict[str, Delivered | None] = field(default_factory=dict)
    _failures: dict[str, int] = field(default_factory=dict)

    def send(
        self,
        session_id: str,
        text: str,
        actor: Actor,
        *,
        first: bool = False,
        attachments: tuple[Attachment, ...] = (),
    ) -> Sent:
        """Send a message now if the session is ready for it, else leave it queued."""
        text = sendable(text) if text.strip() or not attachments else ""
        session = self.store.session(session_id)
        self.target(session)
        if session.state.over and not self.wake(session):
            raise Conflict(
                "the session has ended; resume it to continue", code=ErrorCode.SESSION_ENDED
            )
        message = self._queue(session_id, text, actor, first=first, attachments=attachments)
        self._fates[message.id] = None
        if live := self.target(session):
            self.flush(live, patience=self.timings.queue_turn)
        fate = self._fates.pop(message.id)
        if fate is Delivered.NOT_CONFIRMED:
            raise NotConfirmed(
                "the message was typed, but was not seen to leave; check the screen before you"
                " send it again",
                code=ErrorCode.MESSAGE_NOT_CONFIRMED,
            )
        waits = any(left.id == message.id for left in self.store.queue(session_id))
        return Sent("queued", message.id) if waits else Sent("sent")

    def edit(self, session_id: str, message_id: str, text: str, actor: Actor) -> QueuedMessage:
        """Change a queued message."""
        text = sendable(text)
        with self.store.exclusive():
            found = self._find(session_id, message_id)
            if self._typed(session_id) == message_id:
                raise Conflict(
                    "part of this message has been typed already", code=ErrorCode.MESSAGE_SENDING
                )
            message = replace(found, message=text)
            queue = [
                message if one.id == message_id else one for one in self.store.queue(session_id)
            ]
            told = self._done("message_edited", message, actor, message=text)
            self.store.change_queue(session_id, queue, upsert=[message], also=[told])
            return message

    def take_back(self, session_id: str, message_id: str, actor: Actor) -> None:
        """Remove a queued message."""
        with self.store.exclusive():
            message = self._find(session_id, message_id)
            self._without(message, self._done("message_taken_back", message, actor))

    def flush(self, live: MessageTarget, patience: float = 0) -> None:
        """Send what is queued, one after another, while the session is ready.

        Whoever types now looks at the queue when he is done, so that nothing is left behind.
        """
        try:
            while self.store.queue(live.id) and self._calm(live):
                with live.typing(patience):
                    if not self._send_first(live):
                        break
        except ClawTapError as error:
            log.debug("not now: %s", error.message, extra={"session": live.id})
        except Exception:
            log.warning("a message could not be typed", exc_info=True, extra={"session": live.id})

    def _calm(self, live: MessageTarget) -> bool:
        """Return True if the session has been idle for a moment; wait for the rest of it."""
        if live.prompt or live.calm_for <= 0:
            return False
        time.sleep(max(0.0, self.timings.calm - live.calm_for))
        return live.calm_for >= self.timings.calm

    def settle(self, session_id: str) -> None:
        """After a restart: end the message whose Enter may have been pressed before it."""
        message_id = self.store.marker(session_id, "sending")
        for message in self.store.queue(session_id):
            if message.id == message_id:
                self._unsure(message, "ClawTap stopped while it sent this message")

    def _queue(
        self,
        session_id: str,
        text: str,
        actor: Actor,
        *,
        first: bool,
        attachments: tuple[Attachment, ...],
    ) -> QueuedMessage:
        with self.store.exclusive():
            session = self.store.session(session_id)
            if session.state.over:
                raise Conflict(
                    "the session has ended; resume it to continue", code=ErrorCode.SESSION_ENDED
                )
            now = self.store.now()
            message = QueuedMessage(new_id(), session_id, text, now, attachments)
            queue = self.store.queue(session_id)
            queue.insert(0 if first else len(queue), message)
            named: dict[str, Any] = {"attachments": [each.name for each in attachments]}
            files = named if attachments else {}
            told = self._done("message_queued", message, actor, message=text, **files)
            self.store.change_queue(session_id, queue, upsert=queue, also=[told])
            return message

    def _done(self, kind: str, what: QueuedMessage, actor: Actor, **data: Any) -> Event:
        told = {"messageId": what.id, **data}
        return events.done(kind, what.session_id, self.store.now(), actor, **told)

    def _send_first(self, live: MessageTarget) -> bool:
        """Type the first message that is queued now; whether the next may follow."""
        with self.store.exclusive():
            queue = self.store.queue(live.id)
            if not queue or live.prompt:
                return False
            message = self._half_typed(queue) or queue[0]
            self._typing.add(message.id)
        before, delivery = live.leftover, self._way(live, message)
        outcome = Delivered.STUCK
        try:
            outcome = delivery.run()
        finally:
            unsure = delivery.decided and outcome is not Delivered.DONE
            self._conclude(live, message, Delivered.NOT_CONFIRMED if unsure else outcome)
            self._note(message, typed=bool(before) or delivery.typed)
            self._typing.discard(message.id)
        return outcome is Delivered.DONE

    def _way(self, live: MessageTarget, message: QueuedMessage) -> MessageDelivery:
        text = whole(message, live.adapter.info.file_mention)
        return live.message_delivery(text, lambda steps: self._journal(message, text, steps))

    def _journal(self, message: QueuedMessage, text: str, steps: Sequence[Step]) -> None:
        session_id = message.session_id
        if not steps:  # it goes as it is, by a protocol
            self.store.mark(session_id, "sending", message.id)
            return
        markers: Markers = {(session_id, "typed"): {"message": message.id, "text": text}}
        if any(isinstance(step, Press) and step.deciding for step in steps):
            markers[session_id, "sending"] = message.id
        told = events.typed(
            "message_typed", session_id, self.store.now(), steps, messageId=message.id
        )
        self.store.commit([told], markers=markers)

    def _conclude(self, live: MessageTarget, message: QueuedMessage, outcome: Delivered) -> None:
        if message.id in self._fates:
            self._fates[message.id] = outcome
        if outcome is Delivered.DONE:
            live.message_sent(whole(message, live.adapter.info.file_mention))
            told = {"messageId": message.id, "message": message.message}
            sent = events.noted("message_sent", live.id, self.store.now(), **told)
            self._without(message, sent)
        elif outcome is Delivered.NOT_CONFIRMED:
            self._unsure(message, "this message was typed, but not seen to leave")
        elif outcome in (Delivered.IMPOSSIBLE, Delivered.STUCK):
            self._rest(live, message)

    def _note(self, message: QueuedMessage, *, typed: bool) -> None:
        """Nothing is under way any more; what was typed and not sent stands in the composer."""
        session_id = message.session_id
        stands = typed and message in self.store.queue(session_id)
        dropped: Markers = {(session_id, "sending"): None}
        if not stands:
            dropped[session_id, "typed"] = None
        self.store.commit([], markers=dropped)

    def _rest(self, live: MessageTarget, message: QueuedMessage) -> None:
        """The composer does not do as the adapter expects: try again later, and say so once."""
        failures = self._failures.setdefault(message.id, 0)
        self._failures[message.id] += 1
        live.rest(min(self.timings.queue_retry * 2**failures, self.timings.queue_retry_longest))
        if not failures:
            error = f"this message could not be typed, and waits on: {message.message[:200]}"
            self._tell(message, "message_not_typed", error)

    def _unsure(self, message: QueuedMessage, why: str) -> None:
        error = f"{why}; it may have arrived: {message.message[:200]}"
        self._without(message, self._error(message, "message_not_confirmed", error))

    def _tell(self, message: QueuedMessage, code: str, error: str) -> None:
        self.store.commit([self._error(message, code, error)])

    def _error(self, message: QueuedMessage, code: str, error: str) -> Event:
        told = {"code": code, "error": error, "messageId": message.id}
        return events.noted("session_error", message.session_id, self.store.now(), **told)

    def _half_typed(self, queue: Sequence[QueuedMessage]) -> QueuedMessage | None:
        """The message whose text stands in the composer: it goes before all others."""
        typed = self._typed(queue[0].session_id)
        return next((message for message in queue if message.id == typed), None)

    def _typed(self, session_id: str) -> str | None:
        typed = self.store.marker(session_id, "typed")
        return typed["message"] if typed else None

    def _find(self, session_id: str, message_id: str) -> QueuedMessage:
        self.store.session(session_id)
        for message in self.store.queue(session_id):
            if message.id == message_id:
                if message_id in self._typing:
                    raise Conflict(
                        "this message is being typed now", code=ErrorCode.MESSAGE_SENDING
                    )
                return message
        raise NotFound(f"no such queued message: {message_id!r}", code=ErrorCode.MESSAGE_NOT_FOUND)

    def _without(self, message: QueuedMessage, *also: Event) -> None:
        session_id = message.session_id
        with self.store.exclusive():
            self._failures.pop(message.id, None)
            progress = {
                "typed": self._typed(session_id),
                "sending": self.store.marker(session_id, "sending"),
            }
            dropped: Markers = {
                (session_id, key): None for key, at in progress.items() if at == message.id
            }
            queue = [each for each in self.store.queue(session_id) if each.id != message.id]
            self.store.change_queue(session_id, queue, delete=[message], also=also, markers=dropped)


def sendable(text: str) -> str:
    """A message without what no keyboard has; BadRequest when nothing is left."""
    kept = strip_control_chars(text, tabs=True)
    if not kept.strip():
        raise BadRequest("message is required", code=ErrorCode.MESSAGE_REQUIRED)
    return kept
