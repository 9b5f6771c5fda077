"""Delivering a message to a CLI that speaks a protocol."""

from __future__ import annotations

from collections.abc import Callable

from clawtap_core.errors import Conflict, ErrorCode, Impossible, NotConfirmed
from clawtap_core.runtime.delivery.api import Delivered, StepJournal

_MAY_TAKE_LATER = (ErrorCode.REFUSED_BY_CLI, ErrorCode.CLI_STUCK)


class ProtocolMessage:
    """A message that `send` delivers. `journal` writes that it may be under way."""

    def __init__(self, send: Callable[[str], None], text: str, journal: StepJournal) -> None:
        self.typed = self.decided = False
        self.refused = ""
        self._send, self._text, self._journal = send, text, journal

    def run(self) -> Delivered:
        """Send it; it has left only where this returns DONE or NOT_CONFIRMED."""
        self._journal(())
        self.decided = True
        try:
            self._send(self._text)
        except NotConfirmed:
            return Delivered.NOT_CONFIRMED
        except Impossible:
            self.decided = False
            return Delivered.IMPOSSIBLE
        except Conflict as error:
            self.decided = False
            if error.code not in _MAY_TAKE_LATER:
                return Delivered.CHANGED
            self.refused = error.message
            return Delivered.STUCK
        return Delivered.DONE
