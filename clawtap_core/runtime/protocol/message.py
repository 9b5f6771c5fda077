"""Delivering a message to a CLI that speaks a protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clawtap_core.errors import Conflict, Impossible, NotConfirmed
from clawtap_core.model import Step
from clawtap_core.runtime.delivery.executor import Delivered


class ProtocolMessage:
    """A message that `send` delivers; `before` records that it may be under way."""

    def __init__(
        self, send: Callable[[str], None], text: str, before: Callable[[Sequence[Step]], None]
    ) -> None:
        self.typed = self.decided = False
        self._send, self._text, self._before = send, text, before

    def run(self) -> Delivered:
        """Send it; it has left only if this returns DONE or NOT_CONFIRMED."""
        self._before(())
        self.decided = True
        try:
            self._send(self._text)
        except NotConfirmed:
            return Delivered.NOT_CONFIRMED
        except (Conflict, Impossible) as error:
            self.decided = False
            refused = isinstance(error, Impossible)
            return Delivered.IMPOSSIBLE if refused else Delivered.CHANGED
        return Delivered.DONE
