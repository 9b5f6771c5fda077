"""An adapter's peer, guarded: what it raises is told to its session, what hangs is ended."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

from clawtap_core.host.limits import HookTimeout, TimeLimit
from clawtap_core.model import (
    Action,
    AgentEvent,
    Peer,
    PeerEvent,
    PromptRequested,
    RequestCancelled,
    Response,
    SessionFacts,
    SessionState,
    Write,
)

log = logging.getLogger(__name__)
HEARD = get_args(PeerEvent)
METHODS = ("open", "receive", "message", "answer", "control")
STATES = (
    None,
    SessionState.STARTING,
    SessionState.IDLE,
    SessionState.BUSY,
    SessionState.ENDED,
)
T = TypeVar("T")


class GuardedPeer:
    """A `Peer` that never raises. One that hung once is not called again.

    `failed` is told of each failure, so that the adapter's health shows it.
    """

    def __init__(
        self, peer: Peer, limit: TimeLimit, seconds: float, failed: Callable[[Exception], None]
    ) -> None:
        if missing := [name for name in METHODS if not callable(getattr(peer, name, None))]:
            raise TypeError(f"{type(peer).__name__} is not a Peer: it has no {missing[0]}()")
        self._peer = peer
        self._limit = limit
        self._seconds = seconds
        self._failed = failed
        self._hung = False

    def open(self) -> bytes:
        """What to write first."""
        return self._call(self._peer.open, bytes) or b""

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """What the peer heard; a failure is an event of its session, and costs one line."""
        found: list[Any] = []
        problems: list[Exception] = []

        def feed() -> None:
            for piece in data.splitlines(keepends=True) or [b""]:
                try:
                    found.extend(self._peer.receive(piece))
                except Exception as error:
                    problems.append(error)

        self._call(feed, object, problems.append)
        heard: list[PeerEvent] = [item for item in found if _sound(item)]
        if len(heard) < len(found):
            problems.append(TypeError("receive gave what no peer can hear"))
        for problem in problems:
            self._failed(problem)
        return [*heard, *map(_told, problems)]

    def message(self, text: str) -> Write | None:
        """A user's message."""
        return self._call(lambda: self._peer.message(text), Write)

    def answer(self, call: str, response: Response) -> Write | None:
        """The answer to a request."""
        return self._call(lambda: self._peer.answer(call, response), Write)

    def control(self, action: Action) -> Write | None:
        """Interrupt, or a switch of mode or model."""
        return self._call(lambda: self._peer.control(action), Write)

    def _call(
        self,
        function: Callable[[], T | None],
        wanted: type[T],
        told: Callable[[Exception], None] | None = None,
    ) -> T | None:
        if self._hung:
            return None
        try:
            result = self._limit(self._seconds, function)
            if result is not None and not isinstance(result, wanted):
                raise TypeError(f"returned {type(result).__name__}, not {wanted.__name__}")
        except Exception as error:
            self._hung = isinstance(error, HookTimeout)
            (told or self._failed)(error)
            return None
        return result


def _sound(item: Any) -> bool:
    """Whether an item is what its type says: what a session keeps must be readable again."""
    if isinstance(item, (PromptRequested, RequestCancelled)):
        return isinstance(item.call, str)
    if isinstance(item, SessionFacts):
        told = (item.cli_session_id, item.cli_version, item.mode, item.model)
        return item.state in STATES and all(isinstance(text, (str, type(None))) for text in told)
    return isinstance(item, HEARD)


def _told(error: Exception) -> AgentEvent:
    what = f"what the CLI said could not be read: {type(error).__name__}: {error}"
    return AgentEvent("session_error", {"code": "not_understood", "error": what})
