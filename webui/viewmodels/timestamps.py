"""Moments as text: in attributes, and as sort keys."""

from __future__ import annotations

from datetime import datetime, timezone


def wire_time(moment: datetime) -> str:
    """Return the moment as the API writes it: ISO 8601 in UTC, with Z."""
    return _utc(moment).isoformat().replace("+00:00", "Z")


def sort_key(moment: datetime) -> str:
    """Return the moment as text of one length, so that it sorts as text."""
    return _utc(moment).isoformat(timespec="microseconds").replace("+00:00", "")


def _utc(moment: datetime) -> datetime:
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return zoned.astimezone(timezone.utc)
