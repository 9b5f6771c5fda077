"""A thread for what starts an event loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def in_thread(call: Callable[..., Any], *arguments: Any) -> Any:
    """Run this in a thread of its own.

    Playwright's loop runs in the main thread from the first browser test to the last.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call, *arguments).result()
