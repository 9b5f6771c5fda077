"""Waits and limits of time that hold on a busy machine too: it is only ever late, never early."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

Found = TypeVar("Found")


def until(
    check: Callable[[], Found], seconds: float = 60.0, what: Callable[[], str] = lambda: "it"
) -> Found:
    """What `check` gives as soon as it is true."""
    end = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < end, f"{what()} did not happen in time"
        time.sleep(0.01)
    return found


def never(
    check: Callable[[], object], seconds: float, what: Callable[[], str] = lambda: "it"
) -> None:
    """Watch for some seconds that `check` stays false, and tell what it gives if it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = check()
        assert not found, f"{what()}: {found}"
        time.sleep(0.01)


def at_best(limit: float, measure: Callable[[], float], tries: int = 12) -> float:
    """The shortest of some measured times; the first that is below the limit ends them."""
    best = measure()
    for _ in range(tries - 1):
        if best < limit:
            break
        best = min(best, measure())
    return best


def until_script(page: Any, holds: str, seconds: float = 60.0) -> Any:
    """What a script of the page gives as soon as it is true.

    The page's own policy keeps the browser from polling by itself.
    """
    end = time.monotonic() + seconds
    while not (found := page.evaluate(holds)):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(20)
    return found
