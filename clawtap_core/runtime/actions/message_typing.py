"""Typing a message, and removing text of ours: what is typed is journalled first."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_core.model import Press, QueuedMessage, Step
from clawtap_core.runtime.actions.attachments import whole
from clawtap_core.runtime.actions.message_target import MessageDelivery, MessageTarget
from clawtap_core.runtime.delivery.api import Delivered
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.committed_events import Markers
from clawtap_core.runtime.state.store import StateStore


def journalled_delivery(
    store: StateStore, target: MessageTarget, message: QueuedMessage
) -> MessageDelivery:
    """Return the delivery of a message, which marks it as typed before its keys."""
    text, session_id = whole(message, target.adapter.info.file_mention), message.session_id

    def journal(steps: Sequence[Step], *, withheld: str = "") -> None:
        if not steps:  # a protocol sends it as it is
            store.mark(session_id, "sending", message.id)
            return
        now = store.now()
        event = events.steps_typed(
            "message_typed", session_id, now, steps, withheld, messageId=message.id
        )
        # Marked before the keys: a restart must not type a text again that may have been sent.
        typed = {"message": message.id, "text": text, "at": now.isoformat()}
        markers: Markers = {(session_id, "typed"): typed}
        if any(isinstance(step, Press) and step.deciding for step in steps):
            markers[session_id, "sending"] = message.id
        store.commit([event], markers={} if withheld else markers)

    return target.message_delivery(text, journal)


def remove_text(store: StateStore, target: MessageTarget, text: str) -> Delivered:
    """Remove this text from the composer; "" stands for what is left of the one typed last."""

    def journal(steps: Sequence[Step], *, withheld: str = "") -> None:
        now = store.now()
        cleared = events.steps_typed(
            "action_typed", target.id, now, steps, withheld, action="Clear"
        )
        store.commit([cleared])

    return target.draft_removal(text, journal).run()
