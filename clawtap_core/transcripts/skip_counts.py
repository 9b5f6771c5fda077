"""Counting the records of a transcript that were not understood, by reason.

A CLI's next version may write what no adapter knows yet; the log must show that.
"""

from __future__ import annotations

from collections import Counter

BROKEN = "a line that is no record"
LONGEST_NAME = 60


class SkipCounts(Counter[str]):
    """How many records were skipped, by reason."""

    def broken(self, _: bytes = b"") -> None:
        """Count a line that could not be decoded."""
        self[BROKEN] += 1

    def unknown(self, kind: str, name: str) -> None:
        """Count a record of an unknown kind: `kind` in our words, `name` in the CLI's."""
        self[f"{kind} {name[:LONGEST_NAME]!r} is not known"] += 1
