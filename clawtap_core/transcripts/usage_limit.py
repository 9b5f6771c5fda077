"""Usage limits, as CLIs report them in an error: the event, and the time of day in its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from clawtap_core.model import AgentEvent
from clawtap_core.model.moments import wire_time

# The `code` of such a `session_error`.
USAGE_LIMIT = "usage_limit"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = re.compile(
    r"\b(?:resets(?:\s+at)?|try again at)\s+"
    rf"(?:(?P<month>{'|'.join(_MONTHS)})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+"
    r"(?:(?P<year>\d{4}),?\s+)?(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s?(?P<half>[ap])m\b(?:\s+\(?(?P<zone>[\w/+-]+))?",
    re.IGNORECASE,
)


def limit_reached(text: str, ends_at: datetime | None, *, continues: bool = False) -> AgentEvent:
    """Return the `session_error` of a usage limit; the CLI may continue by itself after it."""
    ends = {"endsAt": wire_time(ends_at)} if ends_at else {}
    more = {"continues": True} if continues else {}
    return AgentEvent("session_error", {"error": text, "code": USAGE_LIMIT, **ends, **more})


def with_end(data: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """Return a `session_error` with the end of its limit, if its text names one."""
    if data.get("code") != USAGE_LIMIT or data.get("endsAt"):
        return data
    ends_at = time_in(str(data.get("error", "")), now)
    return {**data, "endsAt": wire_time(ends_at)} if ends_at else data


def moment(seconds: float | None) -> datetime | None:
    """Return the time of these seconds since 1970, or None if they are out of range."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None


def time_in(text: str, after: datetime | None) -> datetime | None:
    """Return the time that a text names, such as "resets 3:10pm (UTC)": the first one `after`.

    A time without a zone is local. None if the text names no time.
    """
    match = _TIME.search(text)
    if match is None or after is None:
        return None
    start = after.astimezone(_zone(match["zone"]))
    if int(match["hour"]) > 12:
        return None
    hour = int(match["hour"]) % 12 + (12 if match["half"].lower() == "p" else 0)
    try:
        # Seconds are left out: what is sent before the minute is over may still be refused.
        named = start.replace(hour=hour, minute=int(match["minute"] or 0), second=59, microsecond=0)
        if match["month"] is None:
            return (named if named > start else named + timedelta(days=1)).astimezone(timezone.utc)
        month, year = _MONTHS.index(match["month"].lower()) + 1, int(match["year"] or start.year)
        named = named.replace(year=year, month=month, day=int(match["day"]))
        if not match["year"] and named < start:
            named = named.replace(year=year + 1)
        return named.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def _zone(name: str | None) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError):  # no such zone, or no data about zones here
        return None
