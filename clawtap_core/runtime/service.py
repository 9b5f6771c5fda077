"""The runtime: the side that holds the sessions."""

from __future__ import annotations

from clawtap_core.model import Actor, Event
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
