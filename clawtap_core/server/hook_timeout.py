"""Ending a hook that hangs, where threads are greenlets of one thread.

A hook that waits (a patched sleep, a queue) is ended by gevent's own timer. One that computes
for ever never lets that timer run: an alarm of the process interrupts it, and only it, since
the alarm's handler looks where it landed.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

import gevent
from gevent import monkey

from clawtap_core.host import HookTimeout
from clawtap_core.host.limits import thread_limit

T = TypeVar("T")
_AGAIN = 0.25
_native_ident = monkey.get_original("_thread", "get_ident")


class _Interrupted(BaseException):
    """The alarm landed in the hook; no Exception, lest the hook's own `except` keeps it alive."""


class GreenletLimit:
    """A `TimeLimit` for a process that gevent patched. Made in the main thread."""

    def __init__(self) -> None:
        self._deadlines: dict[Any, float] = {}
        self._thread = _native_ident()
        signal.signal(signal.SIGALRM, self._alarm)

    def __call__(self, seconds: float, function: Callable[[], T]) -> T:
        """The function's result; HookTimeout in the caller's greenlet when it takes too long."""
        if _native_ident() != self._thread:
            return thread_limit(seconds, function)
        greenlet = gevent.getcurrent()
        timer = gevent.Timeout.start_new(seconds)
        try:
            self._deadlines[greenlet] = time.monotonic() + seconds
            self._arm()
            return _run(function)
        except _Interrupted:
            raise HookTimeout(f"took longer than {seconds:g} s") from None
        except gevent.Timeout as ended:
            if ended is not timer:
                raise
            raise HookTimeout(f"took longer than {seconds:g} s") from None
        finally:
            timer.close()
            self._deadlines.pop(greenlet, None)
            self._arm()

    def _arm(self) -> None:
        if not self._deadlines:
            signal.setitimer(signal.ITIMER_REAL, 0)
            return
        left = min(self._deadlines.values()) - time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), _AGAIN)

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        deadline = self._deadlines.get(gevent.getcurrent())
        if deadline is not None and time.monotonic() >= deadline and _in_hook(frame):
            raise _Interrupted


def _run(function: Callable[[], T]) -> T:
    return function()


def _in_hook(frame: FrameType | None) -> bool:
    """Whether the alarm landed below `_run`: before or after it there is nothing to end."""
    while frame is not None:
        if frame.f_code is _run.__code__:
            return True
        frame = frame.f_back
    return False
