"""Delivering a message to a CLI that speaks a protocol."""

from __future__ import annotations

from collections.abc import Callable

from clawtap_core.errors import Conflict, Impossible, NotConfirmed
from clawtap_core.runtime.delivery.api import Delivered, StepJournal


class ProtocolMessage:
    """A message that `send` delivers. `journal` writes that it may be under way."""

    def __init__(self, send: Callable[[str], None], text: str, journal: StepJournal) -> None:
        self.typed = self.decided = False
        self._send, self._text, self._journal = send, text, journal

    def run(self) -> Delivered:
        """Send it; it has left only where this returns DONE or NOT_CONFIRMED."""
        self._journal(())
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
