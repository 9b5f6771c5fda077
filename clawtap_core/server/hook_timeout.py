"""End plugin hooks that hang, where threads are greenlets of one thread.

gevent's timer ends a hook that waits (a patched sleep, a queue). A hook in an endless
computation never lets that timer run, so a process alarm interrupts it; the alarm's handler
checks that it landed in a hook.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

import gevent
from gevent import monkey

from clawtap_core.host.limits import HookStalled, HookTimeout, thread_limit, without_exit

T = TypeVar("T")
# The alarm repeats, since the first may land outside of a hook.
_REPEAT = 0.25
_native_ident = monkey.get_original("_thread", "get_ident")


class _Interrupted(BaseException):
    """Raised in a hook by the alarm; no Exception, so that a hook does not catch it."""


class GreenletLimit:
    """A `TimeLimit` for a process that gevent patched; create it in the main thread."""

    def __init__(self) -> None:
        self._deadlines: dict[Any, float] = {}
        self._computing: dict[Any, float] = {}
        self._stalled_since: float | None = None
        self._thread = _native_ident()
        signal.signal(signal.SIGALRM, self._alarm)

    def __call__(
        self, seconds: float, function: Callable[[], T], *, computing: float | None = None
    ) -> T:
        """Return the function's result; raise HookTimeout if it takes too long."""
        if _native_ident() != self._thread:
            return thread_limit(seconds, function)
        greenlet = gevent.getcurrent()
        timer = gevent.Timeout.start_new(seconds)
        try:
            self._deadlines[greenlet] = time.monotonic() + seconds
            if computing is not None:
                self._computing[greenlet] = computing
            self._arm()
            return _run(function)
        except _Interrupted:
            if computing is not None:
                raise HookStalled(f"computed for longer than {computing:g} s") from None
            raise HookTimeout(f"took longer than {seconds:g} s") from None
        except gevent.Timeout as ended:
            if ended is not timer:
                raise
            raise HookTimeout(f"took longer than {seconds:g} s") from None
        finally:
            timer.close()
            self._deadlines.pop(greenlet, None)
            self._computing.pop(greenlet, None)
            self._arm()

    def _arm(self) -> None:
        if not self._deadlines:
            signal.setitimer(signal.ITIMER_REAL, 0)
            return
        left = min(self._deadlines.values()) - time.monotonic()
        if self._computing:
            left = min(left, _REPEAT)
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), _REPEAT)

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        greenlet, now = gevent.getcurrent(), time.monotonic()
        deadline = self._deadlines.get(greenlet)
        if deadline is None or not _in_hook(frame):
            return
        computing = self._computing.get(greenlet)
        if now >= deadline or (computing is not None and self._stalled_for(now) >= computing):
            raise _Interrupted

    def _stalled_for(self, now: float) -> float:
        """Return for how many seconds, as far as is known, nobody else had a turn."""
        if self._stalled_since is None:
            self._stalled_since = now
            gevent.get_hub().loop.run_callback(self._turned)
        return now - self._stalled_since

    def _turned(self) -> None:
        self._stalled_since = None


def _run(function: Callable[[], T]) -> T:
    return without_exit(function)


def _in_hook(frame: FrameType | None) -> bool:
    # Elsewhere, the exception would break code of ours.
    while frame is not None:
        if frame.f_code is _run.__code__:
            return True
        frame = frame.f_back
    return False
