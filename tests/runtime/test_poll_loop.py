"""When the transcript of which session is read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from patience import until

from clawtap_core.runtime.conversations.poll_loop import PollLoop, next_time


@pytest.fixture
def loop() -> Iterator[Any]:
    loops: list[PollLoop] = []
    polled: list[tuple[str, float]] = []

    def start(rests: dict[str, float | None]) -> tuple[PollLoop, list[tuple[str, float]]]:
        def poll(name: str) -> float | None:
            polled.append((name, time.monotonic()))
            return rests[name]

        loops.append(PollLoop(poll))
        return loops[-1], polled

    yield start
    for each in loops:
        each.close()


def times(polled: list[tuple[str, float]], name: str) -> list[float]:
    return [at for who, at in polled if who == name]


def test_a_session_is_polled_when_it_changes_and_when_it_says(loop):
    # So long that its time, a multiple of it, is not by chance now.
    reader, polled = loop({"busy": 0.02, "idle": 1e9})
    reader.wake("busy")
    reader.wake("idle")
    until(lambda: len(times(polled, "busy")) > 5)
    assert len(times(polled, "idle")) == 1
    reader.wake("idle")
    until(lambda: len(times(polled, "idle")) == 2)


def test_one_that_is_no_longer_followed_is_not_polled_again(loop):
    reader, polled = loop({"gone": None, "busy": 0.02})
    reader.wake("gone")
    reader.wake("busy")
    until(lambda: len(times(polled, "busy")) > 5)
    assert len(times(polled, "gone")) == 1


def test_sessions_that_rest_alike_are_polled_together():
    for rest in (0.5, 2.0, 10.0):
        assert next_time(100.1, rest) == next_time(100.4, rest)
        assert 0 < next_time(100.0, rest) - 100.0 <= rest


def test_closing_ends_the_thread_that_waits_for_a_change(loop):
    reader, _ = loop({})
    reader.close()
    assert not reader._thread.is_alive()


class ClosedMeanwhile(PollLoop):
    """A loop that is closed right after its thread has seen that it is not."""

    _seen = False

    @property
    def _closed(self) -> bool:
        before, self._seen = self._seen, True
        return before

    @_closed.setter
    def _closed(self, closed: bool) -> None:
        self._seen = closed


def test_a_loop_that_is_closed_before_it_waits_ends() -> None:
    loop = ClosedMeanwhile(lambda _: None)
    loop._thread.join(10)
    assert not loop._thread.is_alive()
