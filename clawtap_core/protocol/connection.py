"""The link between an adapter's peer and a wire.

The reading thread calls `received` and never waits: replies go into the wire's queue. A
sender waits until its bytes are written and, if the CLI acknowledges, accepted.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Protocol

from clawtap_core.errors import Conflict, ErrorCode, Impossible, NotConfirmed
from clawtap_core.model import Ack, Action, Peer, PeerEvent, Response, Write

log = logging.getLogger(__name__)
PATIENCE = 10.0  # seconds for the CLI to accept what was sent


class Wire(Protocol):
    """A connection that carries bytes to the CLI."""

    def write(self, data: bytes) -> Future[None]:
        """Queue bytes; the future is done once they are written.

        It fails with Conflict if none were written, with NotConfirmed if some may have been.
        """


class Link:
    """A conversation with a CLI; `on_event` is called in the reader's thread, in order."""

    def __init__(
        self,
        peer: Peer,
        wire: Wire,
        on_event: Callable[[PeerEvent], None],
        *,
        patience: float = PATIENCE,
    ) -> None:
        self._peer = peer
        self._wire = wire
        self._on_event = on_event
        self._patience = patience
        self._lock = threading.RLock()
        self._receipts: dict[str, Future[None]] = {}
        self._over = False

    def open(self) -> None:
        """Start the conversation."""
        with self._lock:
            if data := self._peer.open():
                self._wire.write(data)

    def received(self, data: bytes) -> None:
        """Handle bytes from the CLI; b"" when it closes."""
        with self._lock:
            items = list(self._peer.receive(data))
            for item in items:
                if isinstance(item, Write):
                    self._wire.write(item.data)
        for item in items:
            if isinstance(item, Ack):
                self._settle(item)
            elif not isinstance(item, Write):
                try:
                    self._on_event(item)
                except Exception:
                    log.exception("could not handle an event of the CLI")
        if not data:
            with self._lock:
                self._over = True
                unsettled, self._receipts = list(self._receipts.values()), {}
            for waiting in unsettled:
                waiting.set_exception(NotConfirmed("the CLI ended before it accepted this"))

    def message(self, text: str) -> None:
        """Send a user's message."""
        self._send(lambda: self._peer.message(text), "take this message now")

    def answer(self, call: str, response: Response) -> None:
        """Answer a request."""
        self._send(lambda: self._peer.answer(call, response), "be answered like this")

    def control(self, action: Action) -> None:
        """Interrupt, or switch mode or model."""
        self._send(lambda: self._peer.control(action), "do this")

    def _send(self, make: Callable[[], Write | None], what: str) -> None:
        """Send what `make` returns, and wait until the CLI has it.

        Raises Impossible, Conflict (nothing was written, or the CLI refused), NotConfirmed.
        """
        taken: Future[None] = Future()
        with self._lock:
            if self._over:
                raise Conflict("the CLI has ended", code=ErrorCode.SESSION_ENDED)
            outgoing = make()
            if outgoing is None:
                raise Impossible(f"this CLI cannot {what}", code=ErrorCode.CANNOT_ACT)
            if outgoing.receipt:
                self._receipts[outgoing.receipt] = taken
            written = self._wire.write(outgoing.data)
        try:
            _wait(written, self._patience, "the CLI does not read what is written to it")
            if outgoing.receipt:
                _wait(taken, self._patience, "the CLI did not say whether it took this")
        finally:
            with self._lock:
                self._receipts.pop(outgoing.receipt or "", None)

    def _settle(self, ack: Ack) -> None:
        with self._lock:
            waiting = self._receipts.pop(ack.receipt, None)
        if waiting is None:
            return
        if ack.error is None:
            waiting.set_result(None)
        else:
            waiting.set_exception(
                Conflict(f"the CLI refused this: {ack.error}", code=ErrorCode.REFUSED_BY_CLI)
            )


def _wait(future: Future[None], seconds: float, why: str) -> None:
    try:
        future.result(seconds)
    except FutureTimeout:
        raise NotConfirmed(f"{why}; it may still do so") from None
