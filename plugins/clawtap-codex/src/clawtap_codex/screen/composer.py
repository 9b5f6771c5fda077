"""The composer at the bottom: the draft, and the status line below it.

A user's message in the history looks like the composer, but its mark is dim and other entries
follow it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_codex.screen.split import in_front
from clawtap_codex.words import WORDS
from clawtap_core import Screen
from clawtap_core.screens import cells, parsed_once, style_at

_MARK = WORDS.pattern("composer.mark")
_SHELL = WORDS.pattern("composer.shell")
_SEARCH = WORDS.pattern("composer.search")
_INDENT = "  "
# Without its status line 0.116 shows only what is left of the context.
_CONTEXT_LEFT = re.compile(r"\d+% context left\b")
_STATUS = re.compile(rf"  \S.* · \S|  .*{_CONTEXT_LEFT.pattern}")
# On a busy machine 0.169 may start on a screen that still holds letters, and leaves them there.
_LEFT_THERE = re.compile(r"\w[\w ](?=\S.* · \S)")
_LIST_FOOTER = WORDS.pattern("composer.list_footer")
_PLACEHOLDERS = WORDS.texts("composer.placeholders")
_SCROLLED = WORDS.texts("composer.scrolled")
_EFFORTS = ["default", "none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra", "fast"]
_MODEL = re.compile(r"[A-Za-z][\w.-]*\d[\w.-]*(?: [A-Z][\w.-]*)*")
_PLAN = WORDS.pattern("composer.plan")
_CLOSES = WORDS.pattern("composer.closes")
_COMMAND = WORDS.pattern("composer.command")
HINTS = WORDS.pattern("composer.hints")
_VIM = WORDS.pattern("composer.vim")


@dataclass(frozen=True, slots=True)
class Composer:
    """The composer on the screen; `row` is the row of its mark, `status` the rows below.

    `ready` is True once the status line is painted, which comes last at the start. `covered`: help
    or a menu for the draft is open, which takes the first Escape.
    """

    row: int
    draft: str
    status: tuple[str, ...]
    ready: bool
    covered: bool = False

    @property
    def plan_mode(self) -> bool:
        """Whether the status line names the plan mode."""
        return any(_PLAN.search(row) for row in self.status)

    @property
    def is_recent(self) -> bool:
        """Whether the status line has hints that 0.116 does not have."""
        return any(HINTS.search(row) and not _CONTEXT_LEFT.search(row) for row in self.status)

    @property
    def vim(self) -> str | None:
        """The mode of vi that the status line names, or None where the composer has none."""
        modes = (_VIM.search(row) for row in self.status)
        return next((mode["mode"] for mode in modes if mode), None)

    @property
    def model(self) -> str | None:
        """The model's id from the status line, without its effort."""
        words = self.status[0].strip().partition(" · ")[0].split() if self.ready else []
        while words and words[-1] in _EFFORTS:
            words.pop()
        name = " ".join(words)
        return name.lower().replace(" ", "-") if _MODEL.fullmatch(name) else None


@parsed_once
def find_composer(screen: Screen) -> Composer | None:
    """Find the composer, or return None while something else has taken its place."""
    screen = in_front(screen)
    lines = tuple(_without_letters_left(line) for line in screen.lines)
    row = _mark_row(screen, lines)
    if row is None:
        return None
    status = _status_row(lines, row)
    below = tuple(line for line in lines[status:] if line.strip()) if status else ()
    search = next(filter(None, map(_SEARCH.match, below)), None)
    if search is None and any(map(_LIST_FOOTER.match, below)):
        return None
    ready = bool(below) and bool(_STATUS.match(below[0]))
    if not ready and not _holds_cursor(screen, row):
        return None
    end = status if status and ready else _draft_end(screen, row)
    # A long draft scrolls, with arrows at the right edge.
    drafted = (
        line[:-1].rstrip() if cells(line) >= screen.cols and line.endswith(_SCROLLED) else line
        for line in lines[row:end]
    )
    draft = "\n".join(line[2:] for line in drafted).rstrip()
    draft = "" if _is_placeholder(screen, row, draft) else draft
    if shell := _SHELL.match(lines[row]):
        # Without a word, too, it would run what is typed next.
        draft = shell[0] + draft
    if search:
        draft = search["field"]
    return Composer(row, draft, below, ready, _is_covered(lines, row, draft))


def _is_covered(lines: Sequence[str], row: int, draft: str) -> bool:
    # Older versions list it below the composer, newer ones above.
    above = next((line for line in reversed(lines[:row]) if line.strip()), "")
    below = [line for line in lines[row + 1 :] if line.strip()]
    if draft.startswith("/") and any(map(_COMMAND.match, (above, *below))):
        return True
    return any(map(_CLOSES.search, (above, *below)))


def _mark_row(screen: Screen, lines: Sequence[str]) -> int | None:
    # The lowest mark that has only the composer's own rows below it.
    for row in range(len(lines) - 1, -1, -1):
        line = lines[row]
        if _MARK.fullmatch(line):
            style = style_at(screen, row, 0)
            return None if style and style.dim else row
        if line and not line.startswith(_INDENT):
            return None
    return None


def _without_letters_left(line: str) -> str:
    left = _LEFT_THERE.match(line)
    return _INDENT + line[left.end() :] if left else line


def _status_row(lines: Sequence[str], row: int) -> int | None:
    # The first row of the last paragraph below the mark.
    last = len(lines)
    while last > row and not lines[last - 1].strip():
        last -= 1
    first = last
    while first > row and lines[first - 1].strip():
        first -= 1
    return first if row < first < last else None


def _holds_cursor(screen: Screen, row: int) -> bool:
    # Where no status line proves it, the terminal's cursor does.
    if screen.cursor is None or screen.cursor_visible is False:
        return False
    between = screen.lines[row + 1 : screen.cursor[1] + 1]
    return screen.cursor[1] >= row and all(not line or line[:2] == _INDENT for line in between)


def _draft_end(screen: Screen, row: int) -> int:
    # A list of commands or files below the draft is taken for a part of it.
    end = screen.cursor[1] + 1 if screen.cursor else row + 1
    while end < len(screen.lines) and screen.lines[end].strip():
        end += 1
    return end


def _is_placeholder(screen: Screen, row: int, text: str) -> bool:
    if not text or "\n" in text:
        return not text
    if "\x1b" in screen.captured[row]:
        style = style_at(screen, row, 2)
        return bool(style and style.dim)
    return text in _PLACEHOLDERS or screen.cursor == (2, row)
