"""Moments as the API writes them."""

from __future__ import annotations

from datetime import datetime, timezone


def utc(moment: datetime) -> datetime:
    """Return a moment in UTC; one without a zone is taken as UTC."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return zoned.astimezone(timezone.utc)


def wire_time(moment: datetime) -> str:
    """Return a moment as the API writes it: ISO 8601 in UTC, with Z."""
    return utc(moment).isoformat().replace("+00:00", "Z")
