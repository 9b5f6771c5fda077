"""One message on its way to a CLI that is spoken to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from clawtap_core.errors import Conflict, Impossible, NotConfirmed
from clawtap_core.runtime.delivery.executor import Delivered
from clawtap_core.runtime.protocol.session import ProtocolSession


class Way(Protocol):
    """How one message goes: typed into a pane, or said over a protocol.

    `typed`: it may stand in a composer; `decided`: it may have been sent.
    """

    typed: bool
    decided: bool

    def run(self) -> Delivered:
        """Bring it there."""


class Speech:
    """A message that is said. `before` writes that it may be under way."""

    def __init__(self, live: ProtocolSession, text: str, before: Callable[[], None]) -> None:
        self.typed = self.decided = False
        self._live, self._text, self._before = live, text, before

    def run(self) -> Delivered:
        """Say it; nothing was sent unless it is done or not confirmed."""
        self._before()
        self.decided = True
        try:
            self._live.send(self._text)
        except NotConfirmed:
            return Delivered.NOT_CONFIRMED
        except (Conflict, Impossible) as error:
            self.decided = False
            refused = isinstance(error, Impossible)
            return Delivered.IMPOSSIBLE if refused else Delivered.CHANGED
        return Delivered.DONE
