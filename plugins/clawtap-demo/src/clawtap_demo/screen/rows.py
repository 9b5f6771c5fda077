"""The rows of a dialog that can be chosen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_demo.screen.block import FOLD, unfold

_ROW = re.compile(r"(?P<cursor>[❯ ]) (?P<mark>\[[ x]\] |[✎⚿] )?(?P<rest>.*)")
_MORE = re.compile(r"(?P<where>[▲▼]) \d+ more")
_HINT = re.compile(r"(?P<label>.*) \((?P<hint>y|a|esc)\)")


@dataclass(frozen=True)
class Row:
    """One row; `shown` is its first line as drawn, `typed` the content of a text field."""

    label: str
    shown: str
    selected: bool = False
    mark: str = ""
    hint: str | None = None
    description: str | None = None
    typed: str = ""

    @property
    def takes_text(self) -> bool:
        """Whether it is a text field."""
        return self.mark in ("✎", "⚿")

    @property
    def checked(self) -> bool:
        """Whether its box is ticked."""
        return self.mark == "[x]"


@dataclass(frozen=True)
class Rows:
    """The rows in view; `above` and `below` say that more are hidden there."""

    rows: tuple[Row, ...]
    above: bool = False
    below: bool = False

    @property
    def selected(self) -> int | None:
        """The index of the row with the cursor."""
        return next((at for at, row in enumerate(self.rows) if row.selected), None)

    @property
    def text_row(self) -> Row | None:
        """The row that takes text."""
        return next((row for row in self.rows if row.takes_text), None)


def parse_rows(lines: Sequence[str], *, hints: bool) -> Rows | None:
    """Return the rows of a dialog, or None when anything else is among them."""
    more = {match["where"] for line in lines if (match := _MORE.fullmatch(line))}
    lines = [line for line in lines if not _MORE.fullmatch(line)]
    groups = _groups(lines)
    rows = [_row(group, hints) for group in groups or ()]
    if not rows or None in rows:
        return None
    return Rows(tuple(row for row in rows if row), "▲" in more, "▼" in more)


def _groups(lines: Sequence[str]) -> list[list[str]] | None:
    # A row has its own line, those folded from it, and its description.
    groups: list[list[str]] = []
    for line in lines:
        follows = bool(groups) and (groups[-1][-1].endswith(FOLD) or line.startswith("    "))
        if follows:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _row(lines: list[str], hints: bool) -> Row | None:
    match = _ROW.fullmatch(lines[0])
    if match is None:
        return None
    indent = match.start("rest")
    own = 1 + next((at for at, line in enumerate(lines) if not line.endswith(FOLD)), len(lines) - 1)
    label = unfold([line[indent:] for line in lines[:own]])[0]
    description = unfold([line[4:] for line in lines[own:]])
    mark = (match["mark"] or "").strip()
    hint = _HINT.fullmatch(label) if hints else None
    label, typed = (hint["label"] if hint else label), ""
    if mark in ("✎", "⚿"):
        label, _, typed = label.partition(" ▸")
    return Row(
        label,
        lines[0][2:].removesuffix(FOLD),
        selected=match["cursor"] == "❯",
        mark=mark,
        hint=hint["hint"] if hint else None,
        description=" ".join(description) or None,
        typed=typed.strip(),
    )
