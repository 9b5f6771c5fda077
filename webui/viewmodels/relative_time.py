"""Relative times, as they are when a page is rendered; the page keeps them current."""

from __future__ import annotations

from datetime import datetime, timezone

from clawtap_core.model.moments import parse_time

_STEPS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def clock_utc(moment: str) -> str:
    """Return an ISO 8601 moment as "15:00 UTC", for a page without the script that knows more."""
    try:
        return f"{parse_time(moment):%H:%M} UTC"
    except ValueError:
        return ""


def ago(moment: str, now: datetime | None = None) -> str:
    """Return how long ago an ISO 8601 moment was: "now", "4 min", "2 h", "3 d"."""
    try:
        then = parse_time(moment)
    except ValueError:
        return ""
    if then.tzinfo is None:
        then = then.replace(tzinfo=timezone.utc)
    seconds = ((now or datetime.now(timezone.utc)) - then).total_seconds()
    for size, unit in _STEPS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "now"
