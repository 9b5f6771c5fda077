"""The box that takes the place of the composer, and the list in it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from clawtap_core import Screen
from clawtap_core.screens import Box, OptionRow, last_paragraph, lowest_box, numbered_rows, style_at
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.words import WORDS

CUT = "…"
HIDDEN = WORDS.pattern("block.hidden")
_ARROW = WORDS.pattern("block.arrow")
_STEER = WORDS.pattern("block.steer")
_ANSWERED = " ✓"
SCROLLBAR = WORDS.pattern("block.scrollbar")
_NEXT = WORDS.texts("block.next")
_SUBMITS = WORDS.pattern("dialogs.submits")
_CURSOR = ("●", " ●")
_BROKEN_BOX = re.compile(r"(?P<number>[● ] \d+\.) \[(?P<tick>[ x]?)")
_BOX_END = re.compile(r" {5,}\] \S")
_NOTICE = WORDS.pattern("block.notice")
_SHELL = re.compile(r"\S.*([$#❯➜>]|\D%) ?")


@dataclass(frozen=True)
class Block:
    """A box and what is in it; `width` is the width of its text."""

    screen: Screen
    box: Box
    rows: tuple[str, ...]
    width: int

    @cached_property
    def options(self) -> tuple[OptionRow, ...]:
        """The rows of the list, without the CLI's mark on an earlier answer."""
        if self._takes_text:
            return ()
        whole = _with_whole_boxes(self.rows)
        rows = numbered_rows(whole, self.width, self._colour)
        if rows and rows[0].checked is not None and rows[0].gap > 1:
            # A list without boxes has two blanks after its numbers: a label begins like a box.
            rows = numbered_rows(whole, self.width, self._colour, boxed=False)
        return tuple(relabelled(row, row.label.removesuffix(_ANSWERED)) for row in rows)

    @cached_property
    def _takes_text(self) -> bool:
        """Whether the box has a text field and no list: what is typed there may read like one."""
        if not _SUBMITS.match(self.hint) or any(row.startswith(_CURSOR) for row in self.rows):
            return False
        return any(row.startswith(">") for row in self.rows)

    @cached_property
    def next_row(self) -> OptionRow | None:
        """The row Done, which stands without a number below a list of check boxes."""
        if not self.options:
            return self._only_row
        last = self.options[-1]
        if last.checked is None or last.last + 1 >= len(self.rows):
            return None
        match = _STEER.fullmatch(self.rows[last.last + 1])
        if match is None or _ARROW.fullmatch(match["label"]):
            return None
        return OptionRow(None, match["label"], bool(match["mark"]), first=last.last + 1)

    @cached_property
    def _only_row(self) -> OptionRow | None:
        """The row Done where it is the only one in the window of a low pane, with the cursor."""
        if self._takes_text or "▲" not in self.rows or "▼" not in self.rows:
            return None
        first, last = self.rows.index("▲") + 1, self.rows.index("▼") - 1
        match = _STEER.fullmatch(self.rows[first]) if first <= last else None
        if match is None or not match["mark"]:
            return None
        return OptionRow(None, match["label"], True, first=first, last=last)

    @cached_property
    def _window(self) -> tuple[OptionRow, ...]:
        """The rows in sight."""
        return self.options or tuple(row for row in (self.next_row,) if row)

    @cached_property
    def start(self) -> int:
        """The row where the list begins, with its upper scroll mark."""
        first = self._window[0].first if self._window else len(self.rows)
        return first - 1 if first and self.scrolling else first

    @cached_property
    def scrolling(self) -> bool:
        """Whether the list is longer than its window, which then has a scroll mark above."""
        first = self._window[0].first if self._window else 0
        return first > 0 and self.rows[first - 1].strip() == "▲"

    @cached_property
    def begins_above(self) -> bool:
        """Whether the first options have left a low pane, with all that is above them."""
        first = self.options[0] if self.options else None
        return first is not None and not self.box.whole and first.first == 0 and first.number != 1

    @cached_property
    def shows_end(self) -> bool | None:
        """Whether the end of the list is in its window; None if only colours would show it."""
        if not self.scrolling or self.next_row:
            return True
        if self.options[0].number == 1:
            return False
        above, below = self._arrow_colour("▲"), self._arrow_colour("▼")
        return None if above is None or below is None else above != below

    @cached_property
    def after(self) -> int:
        """The row after the list and its lower scroll mark."""
        last = self._window[-1].last if self._window else len(self.rows) - 1
        for row in range(last + 1, len(self.rows)):
            if self.rows[row].strip() in ("▼", ""):
                return row + 1
        return len(self.rows)

    @cached_property
    def hint(self) -> str:
        """The last paragraph, which says what keys do."""
        return last_paragraph(self.rows)

    @cached_property
    def cut(self) -> bool:
        """Whether the top has left the screen or the CLI hid lines."""
        return not self.box.whole or any(HIDDEN.fullmatch(row.strip(" │")) for row in self.rows)

    @cached_property
    def styled(self) -> bool:
        """Whether the screen was captured with its styles."""
        return any("\x1b[" in line for line in self.screen.captured)

    def style(self, row: int, column: int) -> Hashable:
        """Return the style of a character in the rows; None where it is not known."""
        if self.box.height > 1:
            return None
        return style_at(self.screen, self.box.first + row, self.box.left + 2 + column)

    def _colour(self, row: int, column: int) -> Hashable:
        style = style_at(self.screen, self.box.first + row, self.box.left + 2 + column)
        return style.fg if style and self.box.height == 1 else None

    def _arrow_colour(self, arrow: str) -> Hashable:
        for row, text in enumerate(self.rows):
            if text.strip() == arrow:
                return self._colour(row, text.index(arrow))
        return None


def _with_whole_boxes(rows: Sequence[str]) -> list[str]:
    """Return the rows with the check boxes whole that the CLI broke before a long word."""
    whole = list(rows)
    for at, (row, below) in enumerate(pairwise(rows)):
        if (box := _BROKEN_BOX.fullmatch(row)) and _BOX_END.match(below):
            whole[at] = f"{box['number']} [{box['tick'] or ' '}]"
            whole[at + 1] = below.replace("]", " ", 1)
    return whole


def relabelled(row: OptionRow, label: str) -> OptionRow:
    """Return the row with this label."""
    return row if row.label == label else replace(row, label=label)


def find_block(screen: Screen) -> Block | None:
    """Return the box that takes the place of the composer; None while the composer is there."""
    if find_composer(screen):
        return None
    # The alternate buffer has a scrollbar at its right.
    lines = [line[:-1].rstrip() if SCROLLBAR.search(line) else line for line in screen.lines]
    box = lowest_box(lines)
    if box and _NOTICE.match(" ".join(box.rows)):
        lines[box.top : box.bottom + 1] = [""] * (box.bottom + 1 - box.top)
        box = lowest_box(lines)
    if box is None or not any(box.rows):
        return None
    # The CLI prints footers and warnings below its dialog, and a narrowed pane leaves rests of
    # older frames there. None of them takes keys, so that they do not matter. What does: another
    # box that is being painted, an answer of the model, which makes the box part of the history,
    # and a shell, which is there after the CLI's end.
    below = lines[box.bottom + 1 :]
    if any(line.startswith(_NEXT) for line in below) or ends_with_shell(below):
        return None
    width = box.width - (4 if lines[box.bottom].endswith(("╯", "┘")) else 2)
    return Block(screen, box, box.rows, width)


def ends_with_shell(lines: Sequence[str]) -> bool:
    """Return whether the last line with text is the prompt of a shell."""
    last = next((line for line in reversed(lines) if line), "")
    return bool(_SHELL.fullmatch(last))


def shown(rows: Iterable[str]) -> list[str]:
    """Return the rows with an ellipsis for the CLI's note on hidden lines."""
    return [CUT if HIDDEN.fullmatch(row.strip()) else row for row in rows]
