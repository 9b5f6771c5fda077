"""Parse the lists of the CLI's own dialogs, with or without numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clawtap_claude.screen.block import Block
from clawtap_core.screens import OptionRow, next_word_fits, numbered_rows, single_rows

_CHECK = re.compile(r"(?P<before> *❯? +)✔ (?=\S)")
_CHECKED = re.compile(r"\s+✔$")


def list_rows(block: Block, rows: Sequence[str]) -> tuple[OptionRow, ...]:
    """Return the rows of the last list, without the mark of the current choice."""
    numbered = numbered_rows(rows, block.width, block.colour)
    if any(row.selected for row in numbered):
        return tuple(replace(row, label=_CHECKED.sub("", row.label)) for row in numbered)
    plain = [_CHECK.sub(lambda shown: shown["before"] + "  ", row) for row in rows]
    return _joined(single_rows(plain), plain, block.width)


def _joined(shown: Sequence[OptionRow], rows: Sequence[str], width: int) -> tuple[OptionRow, ...]:
    """Join the rows that continue the one above."""
    joined: list[OptionRow] = []
    for row in shown:
        above = rows[row.first - 1] if row.first else ""
        if joined and not next_word_fits(above, row.label, width):
            last = joined[-1]
            label = f"{last.label} {row.label}"
            selected = last.selected or row.selected
            joined[-1] = replace(last, label=label, last=row.last, selected=selected)
        else:
            joined.append(row)
    return tuple(joined)
