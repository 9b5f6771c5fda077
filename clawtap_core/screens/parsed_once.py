"""Parse each screen once, though several hooks read it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from clawtap_core.model import Screen

T = TypeVar("T")


def parsed_once(parse: Callable[[Screen], T]) -> Callable[[Screen], T]:
    """Keep what a pure function reads on a screen with that screen, and drop it with it."""

    @wraps(parse)
    def parsed(screen: Screen) -> T:
        if parse not in screen.parsed:
            screen.parsed[parse] = parse(screen)
        result: T = screen.parsed[parse]
        return result

    return parsed
