"""Run long computations in a native thread, so that the server's greenlets keep running."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def in_native_thread(work: Callable[[], T]) -> T:
    """Call `work`, which must touch no lock of Python; under gevent in a native thread."""
    # Pages that are imported without a server need no gevent.
    if "gevent" not in sys.modules:
        return work()
    from gevent import get_hub, monkey

    # Without monkey-patching every request has its own native thread already.
    if not monkey.is_module_patched("threading") or not get_hub().main_hub:
        return work()
    result: T = get_hub().threadpool.apply(work)
    return result
