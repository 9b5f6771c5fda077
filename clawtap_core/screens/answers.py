"""The answer that a CLI is writing: a row with a mark, and rows with a margin below it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from clawtap_core.model import Previous


@dataclass(frozen=True, slots=True)
class VisibleAnswer:
    """The visible rows of an answer; `head` is the one with the mark, None if it is not visible."""

    text: str
    head: int | None


def last_answer(
    rows: Sequence[str],
    begins: Callable[[str], re.Match[str] | None],
    margin: str,
    previous: Previous | None,
) -> VisibleAnswer | None:
    """Return the answer at the end of `rows`, or None if something else is last.

    `begins` matches its first row, whose group `text` follows the mark. All other rows begin with
    `margin`.
    """
    shown: list[str] = []
    for at in range(len(rows) - 1, -1, -1):
        if match := begins(rows[at]):
            return VisibleAnswer(_joined([match["text"], *reversed(shown)]), at)
        if rows[at].strip() and not rows[at].startswith(margin):
            return None
        shown.append(rows[at].removeprefix(margin).rstrip())
    # A user's message or the output of a tool may be longer than the pane, too. Only an answer was
    # being written before its first row left the screen.
    if previous is None or not previous.seen.streaming:
        return None
    return VisibleAnswer(_joined(shown[::-1]), None)


@dataclass(frozen=True, slots=True)
class VisibleEntry:
    """An entry of the conversation: its rows without the mark, and the row `head` it begins in."""

    rows: tuple[str, ...]
    head: int

    @property
    def text(self) -> str:
        """All of it."""
        return _joined(self.rows)

    @property
    def first_paragraph(self) -> str:
        """What comes before an empty row, as one line."""
        return " ".join(self.text.strip().partition("\n\n")[0].split())


def last_entry(
    rows: Sequence[str],
    begins: Callable[[str], re.Match[str] | None],
    follows: Callable[[str], re.Match[str] | None],
    margin: str = "  ",
) -> VisibleEntry | None:
    """Return the lowest entry of one kind, or None if one of another kind follows it.

    `begins` matches its first row, whose group `text` follows the mark; `follows` matches the first
    row of other entries. All other rows of it begin with `margin`.
    """
    for at in range(len(rows) - 1, -1, -1):
        if match := begins(rows[at]):
            below = takewhile(lambda row: not row or row.startswith(margin), rows[at + 1 :])
            return VisibleEntry((match["text"], *(row.removeprefix(margin) for row in below)), at)
        if follows(rows[at]):
            return None
    return None


def _joined(rows: Sequence[str]) -> str:
    return "\n".join(rows).strip("\n")
