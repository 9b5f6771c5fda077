"""Guard an adapter's peer: errors become events of its session, hangs are ended."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from clawtap_core.host.limits import HookTimeout, TimeLimit
from clawtap_core.host.validation import ResultValidator
from clawtap_core.model import Action, AgentEvent, Peer, PeerEvent, Response, Write

log = logging.getLogger(__name__)
METHODS = ("open", "receive", "message", "answer", "control")
T = TypeVar("T")


class GuardedPeer:
    """A `Peer` that never raises, and is not called again after it hung.

    `failed` receives each failure, for the adapter's health.
    """

    def __init__(
        self,
        peer: Peer,
        limit: TimeLimit,
        seconds: float,
        validator: ResultValidator,
        failed: Callable[[Exception], None],
    ) -> None:
        if missing := [name for name in METHODS if not callable(getattr(peer, name, None))]:
            raise TypeError(f"{type(peer).__name__} is not a Peer: it has no {missing[0]}()")
        self._peer = peer
        self._limit = limit
        self._seconds = seconds
        self._validator = validator
        self._failed = failed
        self._hung = False

    def open(self) -> bytes:
        """Return what to write first."""
        return self._call(self._peer.open, bytes) or b""

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """Return the peer's events; a failure becomes one, and costs one line."""
        events: list[PeerEvent] = []
        problems: list[Exception] = []

        def feed() -> None:
            for line in data.splitlines(keepends=True) or [b""]:
                try:
                    # Keep what a generator yielded before it raised.
                    for event in self._peer.receive(line):
                        validate(event)
                except Exception as error:
                    problems.append(error)

        def validate(event: PeerEvent) -> None:
            try:
                events.append(self._validator.peer_event(event))
            except TypeError as error:
                problems.append(error)

        self._call(feed, object, problems.append)
        for problem in problems:
            self._failed(problem)
            what = f"what the CLI said could not be read: {type(problem).__name__}: {problem}"
            events.append(AgentEvent("session_error", {"code": "not_understood", "error": what}))
        return events

    def message(self, text: str) -> Write | None:
        """Send a user's message."""
        return self._call(lambda: self._peer.message(text), Write)

    def answer(self, call: str, response: Response) -> Write | None:
        """Answer a request."""
        return self._call(lambda: self._peer.answer(call, response), Write)

    def control(self, action: Action) -> Write | None:
        """Interrupt, or switch mode or model."""
        return self._call(lambda: self._peer.control(action), Write)

    def _call(
        self,
        function: Callable[[], T | None],
        result_type: type[T],
        on_failure: Callable[[Exception], None] | None = None,
    ) -> T | None:
        if self._hung:
            return None
        try:
            return self._validator.result(self._limit(self._seconds, function), result_type)
        except Exception as error:
            self._hung = isinstance(error, HookTimeout)
            (on_failure or self._failed)(error)
            return None
