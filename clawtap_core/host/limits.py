"""End a hook that hangs.

`TimeLimit` is a seam: the library runs hooks in a separate thread; `serve`, whose threads are
greenlets of one thread, provides its own limit.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
MOST_SKIPPED = 255


class HookTimeout(Exception):
    """A hook took longer than its limit and was ended."""


class HookExited(Exception):
    """A plugin called `sys.exit()`, which must end neither the server nor a command."""


class HookStalled(HookTimeout):
    """A hook that may wait computed for too long, while everybody waited for it."""


@dataclass
class HookRest:
    """How many of its next calls a hook that hung is spared, since each costs its whole limit."""

    hangs: int = 0
    skip: int = 0

    def hung(self) -> None:
        """Skip more calls than after the last time."""
        self.hangs += 1
        self.skip = min(4 ** (self.hangs - 1) - 1, MOST_SKIPPED)

    def spared(self) -> bool:
        """Return True if this call should be skipped."""
        spared = self.skip > 0
        self.skip -= spared
        return spared


class TimeLimit(Protocol):
    """Call `function`; raise HookTimeout if it takes longer than `seconds`.

    `computing` is a shorter limit for a function that computes where everybody waits for it.
    """

    def __call__(
        self, seconds: float, function: Callable[[], T], *, computing: float | None = None
    ) -> T:
        """Return the function's result, or raise its exception."""


def without_exit(function: Callable[[], T]) -> T:
    """Return the function's result; raise HookExited if it wants to end the process."""
    try:
        return function()
    except SystemExit as error:
        exited = HookExited(f"it called sys.exit({'' if error.code is None else repr(error.code)})")
        raise exited.with_traceback(error.__traceback__) from None


def thread_limit(seconds: float, function: Callable[[], T], *, computing: float | None = None) -> T:
    """Run the function in a daemon thread, ending it if it hangs."""
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["result"] = without_exit(function)
        except BaseException as error:
            outcome["error"] = error

    worker = threading.Thread(target=run, name="clawtap-hook", daemon=True)
    worker.start()
    worker.join(seconds)
    if worker.is_alive():
        # This interrupts a loop at its next bytecode, and a sleep when it wakes.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(worker.ident or 0), ctypes.py_object(HookTimeout)
        )
        raise HookTimeout(f"took longer than {seconds:g} s")
    if "error" in outcome:
        raise outcome["error"]
    result: T = outcome["result"]
    return result
