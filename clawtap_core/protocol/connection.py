"""Driving an adapter's peer over a wire, whatever carries the bytes.

Who reads the wire calls `received` and never waits: what is to be written goes into the wire's
own queue. Who sends waits until it was written and, where the CLI says so, taken.
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
PATIENCE = 10.0
"""For how many seconds it is waited until the CLI took what was sent."""


class Wire(Protocol):
    """What carries bytes to the CLI."""

    def write(self, data: bytes) -> Future[None]:
        """Queue bytes; done once they were handed over, a Conflict when they never were.

        NotConfirmed when some of them may have been.
        """


class Link:
    """One conversation with a CLI. `heard` is called in the reader's thread, in order."""

    def __init__(
        self,
        peer: Peer,
        wire: Wire,
        heard: Callable[[PeerEvent], None],
        *,
        patience: float = PATIENCE,
    ) -> None:
        self._peer = peer
        self._wire = wire
        self._heard = heard
        self._patience = patience
        self._lock = threading.RLock()
        self._receipts: dict[str, Future[None]] = {}
        self._over = False

    def open(self) -> None:
        """Begin the conversation."""
        with self._lock:
            if data := self._peer.open():
                self._wire.write(data)

    def received(self, data: bytes) -> None:
        """Bytes came from the CLI; b"" when no more will come."""
        with self._lock:
            found = list(self._peer.receive(data))
            self._write_replies(found)
        for item in found:
            if isinstance(item, Ack):
                self._settle(item)
            elif not isinstance(item, Write):
                self._tell(item)
        if not data:
            self._end()

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
        """Raises Impossible, Conflict (nothing was written, or the CLI refused), NotConfirmed."""
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

    def _write_replies(self, found: list[PeerEvent]) -> None:
        for item in found:
            if isinstance(item, Write):
                self._wire.write(item.data)

    def _settle(self, receipt: Ack) -> None:
        with self._lock:
            waiting = self._receipts.pop(receipt.receipt, None)
        if waiting is None:
            return
        if receipt.error is None:
            waiting.set_result(None)
        else:
            waiting.set_exception(
                Conflict(f"the CLI refused this: {receipt.error}", code=ErrorCode.REFUSED_BY_CLI)
            )

    def _tell(self, item: PeerEvent) -> None:
        try:
            self._heard(item)
        except Exception:
            log.exception("what a CLI said could not be taken in")

    def _end(self) -> None:
        with self._lock:
            self._over = True
            left, self._receipts = list(self._receipts.values()), {}
        for waiting in left:
            waiting.set_exception(NotConfirmed("the CLI ended before it accepted this"))


def _wait(future: Future[None], seconds: float, why: str) -> None:
    try:
        future.result(seconds)
    except FutureTimeout:
        raise NotConfirmed(f"{why}; it may still do so") from None
