"""Moments as sort keys."""

from __future__ import annotations

from datetime import datetime

from clawtap_core.model.moments import utc


def sort_key(moment: datetime) -> str:
    """Return the moment as text of one length, so that it sorts as text."""
    return utc(moment).isoformat(timespec="microseconds").replace("+00:00", "")
