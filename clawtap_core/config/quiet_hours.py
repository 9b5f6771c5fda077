"""Hours of the day without notifications, in this machine's time zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time

_HOURS = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From `start` to `end`, over midnight where `end` is the earlier one."""

    start: time
    end: time

    @classmethod
    def parse(cls, text: str) -> QuietHours | None:
        """Return the hours in a text like "22:00-07:00", None for ""; raise ValueError."""
        if not text.strip():
            return None
        match = _HOURS.fullmatch(text.strip())
        hours = [int(number) for number in match.groups()] if match else [0, 0, 0, 0]
        start, end = time(hours[0], hours[1]), time(hours[2], hours[3])
        if start == end:
            raise ValueError('Must be two times of the day, such as "22:00-07:00".')
        return cls(start, end)

    def contain(self, at: time) -> bool:
        """Return True if a time of the day is within these hours."""
        if self.start < self.end:
            return self.start <= at < self.end
        return at >= self.start or at < self.end

    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"
