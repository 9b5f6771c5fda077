"""The composer at the bottom: the rule above it, the mode, the draft and the footer.

The CLI shows either the composer or a prompt, never both. A user's message in the history looks
like the composer, but has no rule above it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_core import Screen
from clawtap_core.screens import parsed_once
from clawtap_gemini.words import WORDS

RULE = WORDS.pattern("composer.rule")
_OTHER_MODES = ("!", "(r:)")
_INPUT = re.compile(r" (?P<mark>[>*!]|\(r:\))(?: (?P<text>.*))?")
_EDGE = WORDS.pattern("composer.edge")
_FOOTER = WORDS.pattern("composer.footer")
_PLAIN_INPUT = re.compile(r">(?: (?P<text>.*))?")
_VIM = WORDS.pattern("composer.vim")
_VIM_HINT = WORDS.pattern("composer.vim_hint")
_BOX = WORDS.texts("composer.box")
_INDENT = 3
_COLUMNS = re.compile(r"\s{2,}")
_MODES = (
    (re.compile(r"^ ?YOLO\b"), "yolo"),
    (re.compile(r"^ ?auto-accept edits\b"), "auto_edit"),
    (re.compile(r"^ ?plan\b"), "plan"),
    (re.compile(r"^ ?\S+ to accept edits\b"), "default"),
)


@dataclass(frozen=True, slots=True)
class Composer:
    """What the composer shows; `rule` and `row` are screen rows.

    `at_start`: the cursor stands where a row of the draft begins (None: it is not known). `vim` is
    INSERT or NORMAL where the user has vi keys. `menu`: what a draft may be completed to is listed
    above the footer.
    """

    rule: int
    row: int
    draft: str
    mode: str | None
    model: str | None
    vim: str | None = None
    at_start: bool | None = None
    menu: bool = False


@parsed_once
def find_composer(screen: Screen) -> Composer | None:
    """Return the composer, or None while it is not shown."""
    lines = screen.lines
    # A narrowed pane may keep rests of older rules below the composer, and above a dialog.
    for rule in range(len(lines) - 1, -1, -1):
        if RULE.fullmatch(lines[rule]) and (composer := _below_rule(screen, rule)):
            return composer
        if lines[rule].startswith(_BOX):
            return None
    return _cut_composer(screen) or _plain_composer(screen)


def _cut_composer(screen: Screen) -> Composer | None:
    # In a low pane, a draft of several lines pushes the rule out; the mode still stands above.
    composer = _below_rule(screen, -1)
    return replace(composer, rule=0) if composer and composer.mode else None


def _plain_composer(screen: Screen) -> Composer | None:
    # With `--screen-reader` the composer is the last lines, below the mode.
    lines = screen.lines
    for row in range(len(lines) - 1, 1, -1):
        match = _PLAIN_INPUT.fullmatch(lines[row])
        mode = _mode(lines, row - 2, row) if match else None
        if match and mode:
            text = match["text"] or ""
            rows = [text.strip(), *lines[row + 1 :]]
            draft = "" if text.startswith("   ") else "\n".join(rows).rstrip("\n")
            return Composer(row - 1, row, draft, mode, None)
    return None


def _below_rule(screen: Screen, rule: int) -> Composer | None:
    lines = screen.lines
    for row in range(rule + 1, min(rule + 8, len(lines))):
        if match := _INPUT.fullmatch(lines[row]):
            rows, end = _draft(lines, row, match["text"] or "")
            # The placeholder is indented by one more, with the cursor on its first character.
            cursor = screen.cursor
            untouched = cursor is None or cursor[1] != row or cursor[0] <= _INDENT
            placeholder = len(rows) == 1 and rows[0].startswith("  ") and untouched
            draft = "" if placeholder else "\n".join(rows)
            # The shell or a search would take what is typed next, though nothing stands there yet.
            draft = match["mark"] + draft if match["mark"] in _OTHER_MODES else draft
            # Without colours, the edges of the composer are rules, too.
            above = (
                at for at in range(rule - 1, max(rule - 4, -1), -1) if RULE.fullmatch(lines[at])
            )
            rule = next(above, rule) if rule == row - 1 else rule
            mode, model, vim = _mode(lines, rule, row), _model(lines, end), _vim(lines, row, end)
            at_start = None if cursor is None else cursor[0] == _INDENT and row <= cursor[1] < end
            menu = bool(draft) and _menu(lines, end)
            return Composer(rule, row, draft, mode, model, vim, at_start, menu)
    return None


def _draft(lines: Sequence[str], row: int, first: str) -> tuple[list[str], int]:
    """Return the rows of the draft, and the row after them and the empty ones that follow."""
    rows, blanks = [first], 0
    at = row + 1
    for at in range(row + 1, len(lines)):
        line = lines[at]
        if _is_edge(line):
            break
        # The footer is below the edge: above it a row that reads like it is part of the draft.
        if _FOOTER.search(line) and not any(map(_is_edge, lines[at + 1 :])):
            break
        if not line:
            blanks += 1
        elif line.startswith("   "):
            rows += [""] * blanks + [line[3:]]
            blanks = 0
        else:
            break
    return rows, at


def _is_edge(line: str) -> bool:
    return bool(_EDGE.fullmatch(line) or RULE.fullmatch(line))


def _menu(lines: Sequence[str], end: int) -> bool:
    first = next((line for line in lines[end:] if line and not _is_edge(line)), "")
    return bool(first) and not (_FOOTER.search(first) or _VIM.match(first))


def _vim(lines: Sequence[str], row: int, end: int) -> str | None:
    # The mode is in the footer or, where that is hidden, in the placeholder.
    for line in lines[end:]:
        if match := _VIM.match(line):
            return match[1]
    hint = _VIM_HINT.search(lines[row])
    return {"INSERT": "NORMAL", "NORMAL": "INSERT"}[hint[1]] if hint else None


def _mode(lines: Sequence[str], rule: int, row: int) -> str | None:
    for line in lines[rule + 1 : row]:
        for pattern, mode in _MODES:
            if pattern.search(line):
                return mode
    return None


def _model(lines: Sequence[str], start: int) -> str | None:
    # The footer is a table: the model is below its heading.
    for at in range(start, len(lines) - 1):
        heads = _COLUMNS.split(lines[at].strip())
        if "/model" in heads:
            values = _COLUMNS.split(lines[at + 1].strip())
            return values[-1] if len(values) == len(heads) and heads[-1] == "/model" else None
    return None
