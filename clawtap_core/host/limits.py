"""End a hook that hangs.

`TimeLimit` is a seam: the library runs hooks in a separate thread; `serve`, whose threads are
greenlets of one thread, provides its own limit.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class HookTimeout(Exception):
    """A hook took longer than its limit and was ended."""


class TimeLimit(Protocol):
    """Call `function`; raise HookTimeout if it takes longer than `seconds`."""

    def __call__(self, seconds: float, function: Callable[[], T]) -> T:
        """Return the function's result, or raise its exception."""


def thread_limit(seconds: float, function: Callable[[], T]) -> T:
    """Run the function in a daemon thread, ending it if it hangs."""
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["result"] = function()
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
