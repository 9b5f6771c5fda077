"""Lengths of time on the command line, such as 90s, 10m or 1h30m."""

from __future__ import annotations

import math
import re
from typing import Any

import click

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_DURATION = re.compile("".join(rf"(?:(\d+(?:\.\d+)?){unit})?" for unit in _UNITS))


class Seconds(click.FloatRange):
    """A number of seconds in a range; click would take `nan`, after which no wait ends."""

    def __init__(self, least: float = 0, most: float | None = None) -> None:
        super().__init__(least, most)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number of seconds; `nan` and infinity are refused."""
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


def as_seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Return a duration in seconds; a bare number is seconds, as for `sleep`.

    It is the callback of an option.
    """
    if value is None:
        return None
    text = value.strip().lower()
    parts = _DURATION.fullmatch(f"{text}s" if text[-1:].isdigit() else text)
    amounts = zip(parts.groups(), _UNITS.values(), strict=True) if parts else ()
    seconds = float(sum(float(amount) * size for amount, size in amounts if amount))
    if not 0 < seconds <= 1e9:
        raise click.BadParameter(
            f"{value!r} is not a duration; write it as 90s, 10m, 2h or 1h30m", ctx, param
        )
    return seconds
