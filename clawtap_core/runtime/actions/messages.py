"""Messages: queued first, typed only into an idle, empty composer, each exactly once.

A CLI that is spoken to gets them as they are, while it is idle.

Two notes tell a restart how far the first message of a session's queue came: `typed:SESSION`
stands while its text may be in the composer, `sending:SESSION` once Enter may have been pressed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clawtap_core.errors import (
    BadRequest,
    ClawTapError,
    Conflict,
    ErrorCode,
    Impossible,
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
TRIES = 3
"""How often a message is typed that does not come to stand in the composer as it was written."""
_NOT_TYPED = ErrorCode.MESSAGE_NOT_TYPED.value
_REFUSED = (Delivered.IMPOSSIBLE, Delivered.STUCK)


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
        if fate in _REFUSED and not waits:
            raise Impossible(_not_taken(message), code=ErrorCode.MESSAGE_NOT_TYPED)
        return Sent("queued", message.id) if waits else Sent("sent")

    def edit(self, session_id: str, message_id: str, text: str, actor: Actor) -> QueuedMessage:
        """Change a queued message."""
        text = sendable(text)
        with self.store.exclusive():
            queued = self._find(session_id, message_id)
            if self._typed(session_id) == message_id:
                raise Conflict(
                    "part of this message has been typed already", code=ErrorCode.MESSAGE_SENDING
                )
            message = replace(queued, message=text)
            queue = [
                message if other.id == message_id else other
                for other in self.store.queue(session_id)
            ]
            edited = self._done("message_edited", message, actor, message=text)
            self.store.change_queue(session_id, queue, upsert=[message], also=[edited])
            return message

    def take_back(self, session_id: str, message_id: str, actor: Actor) -> None:
        """Remove a queued message, also from the composer where a part of it was typed."""
        with self.store.exclusive():
            message = self._find(session_id, message_id)
            half_typed = self._typed(session_id) == message_id
            self._without(message, self._done("message_taken_back", message, actor))
        if half_typed and (live := self.target(self.store.session(session_id))):
            threading.Thread(target=self.flush, args=(live,), daemon=True).start()

    def flush(self, live: MessageTarget, patience: float = 0) -> None:
        """Send what is queued, one after another, while the session is ready.

        Whoever types now looks at the queue when he is done, so that nothing is left behind.
        """
        try:
            while (live.leftover or self.store.queue(live.id)) and self._calm(live):
                with live.typing(patience):
                    if not (self._clear_composer(live) and self._send_first(live)):
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
        return events.user_action(kind, what.session_id, self.store.now(), actor, **told)

    def _send_first(self, live: MessageTarget) -> bool:
        """Type the first message that is queued now; whether the next may follow."""
        with self.store.exclusive():
            queue = self.store.queue(live.id)
            if not queue or live.prompt:
                return False
            message = self._half_typed(queue) or queue[0]
            self._typing.add(message.id)
        typed, delivery = bool(live.leftover), self._way(live, message)
        outcome = Delivered.STUCK
        try:
            outcome = delivery.run()
            typed |= delivery.typed
            if outcome is Delivered.STUCK and typed and not delivery.decided:
                # The composer was empty before: whatever stands there now came of this message.
                typed = self._remove(live, "") is not Delivered.DONE
        finally:
            unsure = delivery.decided and outcome is not Delivered.DONE
            self._conclude(live, message, Delivered.NOT_CONFIRMED if unsure else outcome)
            over = unsure or outcome is Delivered.DONE
            self._note(message, typed=typed and not over)
            self._typing.discard(message.id)
        return outcome is Delivered.DONE or message not in self.store.queue(live.id)

    def _clear_composer(self, live: MessageTarget) -> bool:
        """Take out the text of a message that is queued no more; return True if none is left."""
        typed = self._typed(live.id)
        if typed is None or any(each.id == typed for each in self.store.queue(live.id)):
            return True
        outcome = self._remove(live, live.leftover)
        if outcome is Delivered.CHANGED:
            return False
        removed = outcome is Delivered.DONE
        error = "a message that is queued no more stands in the composer; remove it there"
        event = events.session_event("session_error", live.id, self.store.now(), error=error)
        self.store.commit([] if removed else [event], markers={(live.id, "typed"): None})
        return removed

    def _remove(self, live: MessageTarget, text: str) -> Delivered:
        def journal(steps: Sequence[Step]) -> None:
            now = self.store.now()
            self.store.commit(
                [events.steps_typed("action_typed", live.id, now, steps, action="Clear")]
            )

        return live.draft_removal(text, journal).run()

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
        event = events.steps_typed(
            "message_typed", session_id, self.store.now(), steps, messageId=message.id
        )
        self.store.commit([event], markers=markers)

    def _conclude(self, live: MessageTarget, message: QueuedMessage, outcome: Delivered) -> None:
        if message.id in self._fates:
            self._fates[message.id] = outcome
        if outcome is Delivered.DONE:
            live.message_sent(whole(message, live.adapter.info.file_mention))
            told = {"messageId": message.id, "message": message.message}
            sent = events.session_event("message_sent", live.id, self.store.now(), **told)
            self._without(message, sent)
        elif outcome is Delivered.NOT_CONFIRMED:
            self._unsure(message, "this message was typed, but not seen to leave")
        elif outcome is Delivered.IMPOSSIBLE or (
            outcome is Delivered.STUCK and self._failures.get(message.id, 0) + 1 >= TRIES
        ):
            # A message that cannot be typed must not hold up those after it.
            self._without(message, self._error(message, _NOT_TYPED, _not_taken(message)))
        elif outcome is Delivered.STUCK:
            self._rest(live, message)

    def _note(self, message: QueuedMessage, *, typed: bool) -> None:
        """Nothing is under way any more; what was typed and not sent stands in the composer."""
        session_id = message.session_id
        dropped: Markers = {(session_id, "sending"): None}
        if not typed:
            dropped[session_id, "typed"] = None
        self.store.commit([], markers=dropped)

    def _rest(self, live: MessageTarget, message: QueuedMessage) -> None:
        """The composer does not do as the adapter expects: try again later."""
        failures = self._failures.setdefault(message.id, 0)
        self._failures[message.id] += 1
        live.rest(self.timings.queue_retry * 2**failures)

    def _unsure(self, message: QueuedMessage, why: str) -> None:
        error = f"{why}; it may have arrived: {message.message[:200]}"
        self._without(message, self._error(message, "message_not_confirmed", error))

    def _error(self, message: QueuedMessage, code: str, error: str) -> Event:
        told = {"code": code, "error": error, "messageId": message.id}
        return events.session_event("session_error", message.session_id, self.store.now(), **told)

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
            sending = self.store.marker(session_id, "sending") == message.id
            dropped: Markers = {(session_id, "sending"): None} if sending else {}
            queue = [each for each in self.store.queue(session_id) if each.id != message.id]
            self.store.change_queue(session_id, queue, delete=[message], also=also, markers=dropped)


def _not_taken(message: QueuedMessage) -> str:
    return f"the CLI does not take this message as it is written: {message.message[:200]}"


def sendable(text: str) -> str:
    """A message without what no keyboard has; BadRequest when nothing is left."""
    kept = strip_control_chars(text, tabs=True).strip()
    if not kept:
        raise BadRequest("message is required", code=ErrorCode.MESSAGE_REQUIRED)
    return kept
