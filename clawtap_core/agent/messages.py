"""Messages: queued first, typed only into an idle, empty composer, each exactly once."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from clawtap_core.agent import events
from clawtap_core.agent.delivery import Delivered, Delivery
from clawtap_core.agent.guards import ComposerGuard
from clawtap_core.agent.ledger import Ledger, new_id
from clawtap_core.agent.live import CALM, LiveSession
from clawtap_core.errors import BadRequest, Conflict, NotFound
from clawtap_core.model import Actor, Event, QueuedMessage
from clawtap_core.transport import Sent

log = logging.getLogger(__name__)
SENDING = "sending"


@dataclass(frozen=True)
class Messages:
    """The queues of all sessions. `live` finds a session that runs, or None."""

    ledger: Ledger
    live: Callable[[str], LiveSession | None]

    def send(self, session_id: str, text: str, actor: Actor, *, first: bool = False) -> Sent:
        """Send a message now if the session is ready for it, else leave it queued."""
        session = self.ledger.session(session_id)
        if session.state.over:
            raise Conflict("the session has ended; resume it to go on", code="session_ended")
        if not text.strip():
            raise BadRequest("message is required", code="message_required")
        message = QueuedMessage(new_id(), session_id, text, self.ledger.now())
        with self.ledger.lock:
            queue = self.ledger.queue(session_id)
            queue.insert(0 if first else len(queue), message)
            told = events.done(
                "message_queued",
                session_id,
                self.ledger.now(),
                actor,
                messageId=message.id,
                message=text,
            )
            self.ledger.change_queue(session_id, queue, keep=queue, also=[told])
        if live := self.live(session_id):
            self.flush(live)
        waits = any(left.id == message.id for left in self.ledger.queue(session_id))
        return Sent("queued", message.id) if waits else Sent("sent")

    def edit(self, session_id: str, message_id: str, text: str) -> QueuedMessage:
        """Change a queued message."""
        if not text.strip():
            raise BadRequest("message is required", code="message_required")
        with self.ledger.lock:
            message = replace(self._find(session_id, message_id), message=text)
            queue = [
                message if one.id == message_id else one for one in self.ledger.queue(session_id)
            ]
            self.ledger.change_queue(session_id, queue, keep=[message])
            return message

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""
        with self.ledger.lock:
            message = self._find(session_id, message_id)
            self._without(message)

    def flush(self, live: LiveSession) -> None:
        """Send what is queued, one after another, while the session is ready."""
        if not live.turn.acquire(blocking=False):
            return
        try:
            while (queue := self.ledger.queue(live.id)) and _calm(live):
                if not self._deliver(live, queue[0]):
                    break
        except Exception:
            log.warning("a message could not be typed", exc_info=True, extra={"session": live.id})
        finally:
            live.turn.release()

    def settle(self, live: LiveSession) -> None:
        """After a restart: end the message whose Enter may have been pressed before it."""
        message_id = self.ledger.notes.get(f"{SENDING}:{live.id}")
        for message in self.ledger.queue(live.id):
            if message.id == message_id:
                told = events.noted(
                    "session_error",
                    live.id,
                    self.ledger.now(),
                    code="message_not_confirmed",
                    error="ClawTap stopped while it sent this message; it may have arrived:"
                    f" {message.message[:200]}",
                )
                self._without(message, told)
                self.ledger.write([], notes={f"{SENDING}:{live.id}": None})

    def _deliver(self, live: LiveSession, message: QueuedMessage) -> bool:
        text = message.message
        adapter = live.adapter
        delivery = Delivery(
            live.pane,
            ComposerGuard(adapter, text, begun=bool(live.leftover) and live.leftover == text),
            lambda screen, progress: adapter.compose(text, screen, progress),
            lambda steps: self.ledger.write(
                [
                    events.noted(
                        "message_typed",
                        live.id,
                        self.ledger.now(),
                        messageId=message.id,
                        steps=events.described(steps),
                    )
                ],
                notes={f"{SENDING}:{live.id}": message.id},
            ),
        )
        live.hold()
        try:
            outcome = delivery.run()
            live.leftover = text if delivery.typed and not delivery.decided else ""
            self._conclude(live, message, outcome)
        finally:
            live.let_go()
        return outcome is Delivered.DONE

    def _conclude(self, live: LiveSession, message: QueuedMessage, outcome: Delivered) -> None:
        now = self.ledger.now()
        if outcome is Delivered.DONE:
            self._without(message, events.noted("message_sent", live.id, now, messageId=message.id))
        elif outcome is Delivered.NOT_CONFIRMED:
            error = f"this message was typed, but not seen to leave: {message.message[:200]}"
            told = events.noted(
                "session_error", live.id, now, code="message_not_confirmed", error=error
            )
            self._without(message, told)
        self.ledger.write([], notes={f"{SENDING}:{live.id}": None})

    def _find(self, session_id: str, message_id: str) -> QueuedMessage:
        for message in self.ledger.queue(session_id):
            if message.id == message_id:
                if self.ledger.notes.get(f"{SENDING}:{session_id}") == message_id:
                    raise Conflict("this message is being typed now", code="message_sending")
                return message
        raise NotFound(f"no such queued message: {message_id!r}", code="message_not_found")

    def _without(self, message: QueuedMessage, *also: Event) -> None:
        with self.ledger.lock:
            queue = self.ledger.queue(message.session_id)
            left = [one for one in queue if one.id != message.id]
            self.ledger.change_queue(message.session_id, left, drop=[message], also=also)


def _calm(live: LiveSession) -> bool:
    """Whether the session has been idle for a moment; waits for the rest of that moment."""
    if live.prompt or live.calm_for <= 0:
        return False
    time.sleep(max(0.0, CALM - live.calm_for))
    return live.calm_for >= CALM
