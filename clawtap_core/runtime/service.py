"""The runtime: the side that holds the sessions."""

from __future__ import annotations

from collections.abc import Iterator

from clawtap_core.model import Actor, Event, QueuedMessage
from clawtap_core.runtime.components import Components
from clawtap_core.runtime.direct_transport import DirectTransport


class Runtime(Components):
    """The side that holds the sessions; each actor reaches it by a transport."""

    def transport(self, actor: Actor | None = None) -> DirectTransport:
        """Return the transport of one actor."""
        return DirectTransport(self, actor)

    def record(self, event: Event) -> None:
        """Write an event of no session to the journal, such as a changed access."""
        self.store.commit([event])

    def publish(self, event: Event) -> None:
        """Publish an event of another machine, which is not kept here, to every reader."""
        self.store.publish_transient(event)

    def read_published(
        self, session_id: str, *, screens: bool, idle: float
    ) -> Iterator[Event | None]:
        """Yield what is published of another machine's session from now on."""
        return self.store.read_events(self.store.cursor, session_id, screens, idle)

    # Messages that waited elsewhere while this machine was away

    def receive(self, message: QueuedMessage, actor: Actor) -> None:
        """Send a message, or report in its session why it cannot be sent."""
        self.messages.receive(message, actor)

    def has_received(self, message: QueuedMessage) -> bool:
        """Return whether the journal has a message."""
        return self.messages.has_received(message)

    def report_unsent(self, message: QueuedMessage, why: str) -> None:
        """Report in a message's session that it was not sent."""
        self.messages.report_unsent(message, why)
