"""Messages: each is queued, then delivered exactly once, into an idle session.

In a terminal it is typed into an empty composer; over a protocol it is sent as it is.

Two markers tell a restart about the first message of a session's queue: `typed` stands while its
text may be in the composer, `sending` once Enter may have been pressed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from clawtap_core.errors import (
    ClawTapError,
    Conflict,
    ErrorCode,
    Impossible,
    NotConfirmed,
    NotFound,
    message_not_found,
)
from clawtap_core.model import Actor, Attachment, Event, QueuedMessage, Sent, Session
from clawtap_core.prompts.sanitize import is_command, sendable
from clawtap_core.runtime.actions.attachments import whole
from clawtap_core.runtime.actions.message_target import MessageTarget
from clawtap_core.runtime.actions.message_typing import journalled_delivery, remove_text
from clawtap_core.runtime.delivery.api import Delivered
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.committed_events import Markers
from clawtap_core.runtime.state.store import StateStore, new_id
from clawtap_core.runtime.timings import Timings
from clawtap_core.screens import drawn

log = logging.getLogger(__name__)
# How often a message is typed again when the composer does not show what was written.
TRIES = 3
# How often the time is doubled until a pane that takes no keys is tried again: a few seconds after
# somebody has switched its input on again, the message shall be there.
_LONGEST_WAIT = 2
_NOT_TYPED = ErrorCode.MESSAGE_NOT_TYPED.value
_PAGE = 500
_REFUSED = (Delivered.IMPOSSIBLE, Delivered.STUCK)


@dataclass(frozen=True)
class MessageQueue:
    """The queues of all sessions.

    `target` returns the running session that takes messages, or None; it raises Impossible for a
    session that never takes any. `wake` restarts an ended session if it can. `said_since` returns
    what the user has said in a session's conversation since a time.
    """

    store: StateStore
    target: Callable[[Session], MessageTarget | None]
    wake: Callable[[Session], bool]
    said_since: Callable[[str, datetime], Collection[str]]
    timings: Timings
    _typing: dict[str, threading.Event] = field(default_factory=dict)
    _outcomes: dict[str, Delivered | None] = field(default_factory=dict)
    _failures: dict[str, int] = field(default_factory=dict)
    _holdups: dict[str, int] = field(default_factory=dict)

    def send(
        self,
        session_id: str,
        text: str,
        actor: Actor,
        *,
        first: bool = False,
        opening: bool = False,
        attachments: tuple[Attachment, ...] = (),
        message_id: str = "",
    ) -> Sent:
        """Send a message if the session is ready for it, else queue it.

        An `opening` message belongs to the start of its session: if the CLI has ended by now, the
        message stays queued and does not start the CLI again.
        """
        text = sendable(text) if text.strip() or not attachments else ""
        session = self.store.session(session_id)
        self.target(session)  # raises Impossible for a session that takes no messages
        if session.state.over and not opening and not self.wake(session):
            raise Conflict(
                "the session has ended; resume it to continue", code=ErrorCode.SESSION_ENDED
            )
        message = QueuedMessage(
            message_id or new_id(), session_id, text, self.store.now(), attachments
        )
        # Another thread may type it: that one leaves its outcome here, and is waited for.
        self._outcomes[message.id] = None
        try:
            self._queue(message, actor, first=first, opening=opening)
            if target := self.target(session):
                self.flush(target, patience=self.timings.queue_turn)
                if typed := self._typing.get(message.id):
                    typed.wait()
        finally:
            outcome = self._outcomes.pop(message.id)
        if outcome is Delivered.NOT_CONFIRMED:
            raise NotConfirmed(
                "the message was typed, but was not seen to leave; check the screen before you"
                " send it again",
                code=ErrorCode.MESSAGE_NOT_CONFIRMED,
            )
        waits = any(left.id == message.id for left in self.store.queue(session_id))
        if outcome in _REFUSED and not waits:
            raise Impossible(_not_typed(message), code=ErrorCode.MESSAGE_NOT_TYPED)
        if not waits:
            return Sent("sent")
        self._update_detail(session_id)
        session = self.store.session(session_id)
        return Sent("queued", message.id, detail=None if session.state.over else session.detail)

    def receive(self, message: QueuedMessage, actor: Actor) -> None:
        """Send a message that waited elsewhere, under its id, or report why that is impossible."""
        try:
            self.send(message.session_id, message.message, actor, message_id=message.id)
        except ClawTapError as error:
            # These two were reported where they arose.
            if error.code not in (ErrorCode.MESSAGE_NOT_CONFIRMED, ErrorCode.MESSAGE_NOT_TYPED):
                self.report_unsent(message, error.message)

    def has_received(self, message: QueuedMessage) -> bool:
        """Return whether the journal has a message, sent or not."""
        seq = 0
        while page := self.store.journal.read(seq, _PAGE, message.session_id):
            if any(
                event.type == "message_queued" and event.data.get("messageId") == message.id
                for event in page
            ):
                return True
            seq = page[-1].seq or seq
        return False

    def report_unsent(self, message: QueuedMessage, why: str) -> None:
        """Report in its session that a message was not sent."""
        error = f"a message was not sent: {why}: {message.message[:200]}"
        with suppress(NotFound):
            self.store.session(message.session_id)
            self.store.commit([self._error(message, ErrorCode.MESSAGE_NOT_SENT, error)])

    def edit(self, session_id: str, message_id: str, text: str, actor: Actor) -> QueuedMessage:
        """Change a queued message."""
        text = sendable(text)
        with self.store.exclusive():
            queued = self._find(session_id, message_id)
            if self._typed_id(session_id) == message_id:
                raise Conflict(
                    "part of this message has been typed already", code=ErrorCode.MESSAGE_SENDING
                )
            message = replace(queued, message=text)
            queue = [
                message if other.id == message_id else other
                for other in self.store.queue(session_id)
            ]
            edited = self._action("message_edited", message, actor, message=text)
            self.store.change_queue(session_id, queue, upsert=[message], also=[edited])
            return message

    def take_back(self, session_id: str, message_id: str, actor: Actor) -> None:
        """Remove a queued message; also from the composer, if part of it was typed."""
        with self.store.exclusive():
            message = self._find(session_id, message_id)
            half_typed = self._typed_id(session_id) == message_id
            taken_back = self._action("message_taken_back", message, actor)
            self._dequeue(message, taken_back, happened=False)
        if half_typed and (target := self.target(self.store.session(session_id))):
            threading.Thread(target=self.flush, args=(target,), daemon=True).start()
        self._update_detail(session_id)

    def flush(self, target: MessageTarget, patience: float = 0) -> None:
        """Send queued messages, one after another, while the session is ready."""
        # If someone else is typing, the queue is looked at again once they are done.
        try:
            while (target.leftover or self.store.queue(target.id)) and self._calm(target):
                with target.typing(patience):
                    if not (self._clear_composer(target) and self._send_first(target)):
                        break
        except ClawTapError as error:
            log.debug("not now: %s", error.message, extra={"session": target.id})
        except Exception:
            log.warning("a message could not be typed", exc_info=True, extra={"session": target.id})

    def _calm(self, target: MessageTarget) -> bool:
        """Return True once the session has been idle for a moment, False if it is in use."""
        if target.prompt or target.calm_for <= 0:
            return False
        time.sleep(max(0.0, self.timings.calm - target.calm_for))
        # A usage limit holds messages back: the CLI would refuse them.
        limit = self.store.session(target.id).limit
        return limit is None and target.calm_for >= self.timings.calm

    def settle(self, session_id: str) -> None:
        """Report the message that a restart interrupted between Enter and its effect."""
        message_id = self.store.marker(session_id, "sending")
        for message in self.store.queue(session_id):
            if message.id == message_id:
                self._report_unconfirmed(message, "ClawTap stopped while it sent this message")

    def _update_detail(self, session_id: str) -> None:
        """Have the session say what its queue waits for: no screen may follow that does."""
        if target := self.target(self.store.session(session_id)):
            target.refresh()

    def _queue(self, message: QueuedMessage, actor: Actor, *, first: bool, opening: bool) -> None:
        with self.store.exclusive():
            session_id = message.session_id
            session = self.store.session(session_id)
            if session.state.over and not opening:
                raise Conflict(
                    "the session has ended; resume it to continue", code=ErrorCode.SESSION_ENDED
                )
            queue = self.store.queue(session_id)
            queue.insert(0 if first else len(queue), message)
            names = [attachment.name for attachment in message.attachments]
            files: dict[str, Any] = {"attachments": names} if names else {}
            queued = self._action(
                "message_queued", message, actor, message=message.message, **files
            )
            self.store.change_queue(session_id, queue, upsert=queue, also=[queued])

    def _action(self, kind: str, queued: QueuedMessage, actor: Actor, **data: Any) -> Event:
        data["messageId"] = queued.id
        return events.user_action(kind, queued.session_id, self.store.now(), actor, **data)

    def _send_first(self, target: MessageTarget) -> bool:
        """Type the first queued message; return True if the next may follow."""
        with self.store.exclusive():
            queue = self.store.queue(target.id)
            if not queue or target.prompt:
                return False
            # A text that is in the composer already goes first.
            typed = self._typed_id(target.id)
            message = next((each for each in queue if each.id == typed), queue[0])
            self._typing[message.id] = over = threading.Event()
        try:
            if self._was_said(target, message):
                self._conclude_sent(target, message)
                self._clear_markers(message, typed=False)
                return True
            outcome = self._type(target, message)
        finally:
            del self._typing[message.id]
            over.set()
        return outcome is Delivered.DONE or message not in self.store.queue(target.id)

    def _type(self, target: MessageTarget, message: QueuedMessage) -> Delivered:
        typed, delivery = bool(target.leftover), journalled_delivery(self.store, target, message)
        outcome, removed = Delivered.STUCK, False
        try:
            outcome = delivery.run()
            if outcome is Delivered.STUCK and (typed or delivery.typed) and not delivery.decided:
                # The composer was empty before: whatever it holds now is part of this message.
                removed = remove_text(self.store, target, "") is Delivered.DONE
        except ClawTapError as error:
            # The pane takes no keys, or tmux does not answer: nothing is wrong with the message.
            outcome = Delivered.CHANGED
            count = self._holdups[message.id] = self._holdups.get(message.id, -1) + 1
            wait = self.timings.queue_retry * 2 ** min(count, _LONGEST_WAIT)
            target.postpone_queue(wait, error.message)
            raise
        finally:
            # Also after an error: text that stays in the composer is ours.
            typed = (typed or delivery.typed) and not removed
            unsure = delivery.decided and outcome is not Delivered.DONE
            outcome_shown = Delivered.NOT_CONFIRMED if unsure else outcome
            self._conclude(target, message, outcome_shown, delivery.refused)
            over = unsure or outcome is Delivered.DONE
            self._clear_markers(message, typed=typed and not over)
        return outcome

    def _was_said(self, target: MessageTarget, message: QueuedMessage) -> bool:
        """Return True if the CLI has got text of ours that was not seen to leave.

        Somebody may have pressed Enter on it. What left the composer otherwise is typed again: only
        the CLI knows which it was.
        """
        typed = self.store.marker(target.id, "typed")
        if typed is None or typed["message"] != message.id or "at" not in typed:
            return False
        said = self.said_since(target.id, datetime.fromisoformat(typed["at"]))
        return drawn(typed["text"]) in map(drawn, said)

    def _clear_composer(self, target: MessageTarget) -> bool:
        """Remove the text of a message that is no longer queued; return True if none is left."""
        typed = self._typed_id(target.id)
        if typed is None or any(each.id == typed for each in self.store.queue(target.id)):
            return True
        outcome = remove_text(self.store, target, target.leftover)
        if outcome is Delivered.CHANGED:
            return False
        removed = outcome is Delivered.DONE
        error = "the composer holds a message that is no longer queued; remove it there"
        event = events.session_event("session_error", target.id, self.store.now(), error=error)
        markers: Markers = {(target.id, "typed"): None}
        self.store.commit([] if removed else [event], markers=markers, happened=True)
        return removed

    def _conclude(
        self, target: MessageTarget, message: QueuedMessage, outcome: Delivered, refused: str
    ) -> None:
        # What came of it may cover the screen, and be nothing that the adapter knows.
        if outcome is Delivered.NOT_CONFIRMED and self._was_said(target, message):
            outcome = Delivered.DONE
        if message.id in self._outcomes:
            self._outcomes[message.id] = outcome
        if outcome is Delivered.DONE:
            target.message_sent(whole(message, target.adapter.info.file_mention), message.id)
            self._conclude_sent(target, message)
        elif outcome is Delivered.NOT_CONFIRMED:
            self._report_unconfirmed(message, "this message was typed, but not seen to leave")
        elif outcome is Delivered.IMPOSSIBLE or (
            outcome is Delivered.STUCK and self._failures.get(message.id, 0) + 1 >= TRIES
        ):
            # A message that cannot be typed must not hold up those after it.
            self._dequeue(message, self._error(message, _NOT_TYPED, _not_typed(message, refused)))
        elif outcome is Delivered.STUCK:
            # The composer does not behave as the adapter expects, or the CLI refused; it may later.
            failures = self._failures.get(message.id, 0)
            self._failures[message.id] = failures + 1
            target.postpone_queue(self.timings.queue_retry * 2**failures)

    def _conclude_sent(self, target: MessageTarget, message: QueuedMessage) -> None:
        sent = events.session_event(
            "message_sent",
            target.id,
            self.store.now(),
            messageId=message.id,
            message=message.message,
        )
        self._dequeue(message, sent)

    def _clear_markers(self, message: QueuedMessage, *, typed: bool) -> None:
        """Clear the markers, except that of a text that was typed and not sent."""
        session_id = message.session_id
        dropped: Markers = {(session_id, "sending"): None}
        if not typed:
            dropped[session_id, "typed"] = None
        self.store.commit([], markers=dropped, happened=True)

    def _report_unconfirmed(self, message: QueuedMessage, why: str) -> None:
        error = f"{why}; it may have arrived: {message.message[:200]}"
        self._dequeue(message, self._error(message, "message_not_confirmed", error))

    def _error(self, message: QueuedMessage, code: str, error: str) -> Event:
        data = {"code": code, "error": error, "messageId": message.id}
        return events.session_event("session_error", message.session_id, self.store.now(), **data)

    def _typed_id(self, session_id: str) -> str | None:
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
        raise message_not_found(message_id)

    def _dequeue(self, message: QueuedMessage, *also: Event, happened: bool = True) -> None:
        session_id = message.session_id
        with self.store.exclusive():
            self._failures.pop(message.id, None)
            self._holdups.pop(message.id, None)
            sending = self.store.marker(session_id, "sending") == message.id
            dropped: Markers = {(session_id, "sending"): None} if sending else {}
            queue = [each for each in self.store.queue(session_id) if each.id != message.id]
            self.store.change_queue(
                session_id,
                queue,
                delete=[message],
                also=also,
                markers=dropped,
                happened=happened,
            )
            if not queue and not self.store.session(session_id).state.over:
                # It says what the queue waits for, and no screen may follow.
                self.store.change_session(session_id, detail=None)


def in_words(reason: str) -> str:
    """Return the reason of a refusal as a message that no CLI takes for one of its commands."""
    return f"Reason: {reason}" if is_command(reason.lstrip()) else reason


def _not_typed(message: QueuedMessage, refused: str = "") -> str:
    text = message.message[:200]
    if refused:
        return f"{refused}: {text}"
    return f"the CLI does not take this message as it is written: {text}"
