"""Moments as the API writes and reads them."""

from __future__ import annotations

from datetime import datetime, timezone


def utc_now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(timezone.utc)


def utc(moment: datetime) -> datetime:
    """Return a moment in UTC; one without a zone is taken as UTC."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return zoned.astimezone(timezone.utc)


def wire_time(moment: datetime) -> str:
    """Return a moment as the API writes it: ISO 8601 in UTC, with Z."""
    return utc(moment).isoformat().replace("+00:00", "Z")


def parse_time(text: str) -> datetime:
    """Return the moment that ISO 8601 text names; raise ValueError for other text."""
    # Python 3.10 does not read a Z.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
