"""Questions of the model in tabs, and the last tab, which submits the answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core import Kind, Position, PromptForm, Question, QuestionOption
from clawtap_core.screens import Field, OptionRow, ParsedPrompt, digits, next_word_fits, unwrap
from clawtap_kimi.screen.panel import Panel
from clawtap_kimi.words import WORDS

ASK = "AskUserQuestion"
_HEADING = WORDS.pattern("questions.heading")
_KEYS = WORDS.pattern("questions.keys")
_TYPING = WORDS.pattern("questions.typing")
_SAVES = WORDS.pattern("questions.saves")
_ASKED = WORDS.pattern("questions.asked")
_REVIEW = WORDS.pattern("questions.review")
_SUBMIT = WORDS.pattern("questions.submit")
_UNANSWERED = WORDS.pattern("questions.unanswered")
_MORE = WORDS.pattern("questions.more")
_GIVEN = WORDS.pattern("questions.given")
_OWN = WORDS.pattern("questions.own")
_ROW = re.compile(
    r"  (?:(?P<mark>→)|  |(?=\[))(?(mark) )\[(?:(?P<number>\d+)|(?P<box>[ ✓]))\] (?P<label>.*)"
)
_TABS = re.compile(r" {2,}")
_OTHER_TAB = re.compile(r"\((?P<mark>[✓○])\) ")
_UNANSWERED_TAB = "○"
_TEXT_INDENT = 3
_DETAILS = " " * 8


@dataclass(frozen=True)
class _Tabs:
    """The header of the open tab and its place; the positions that are marked as not answered."""

    header: str = ""
    position: Position | None = None
    unanswered: tuple[int, ...] = ()


@dataclass(frozen=True)
class ReviewPrompt(ParsedPrompt):
    """The tab after the last question; `complete`: all of them are answered.

    Where its top left the pane it is not known to be. `answers_shown` counts those in view.
    """

    complete: bool = False
    answers_shown: int = 0


def read_question(panel: Panel) -> ParsedPrompt | None:
    """Read the open tab."""
    rows = panel.rows
    if not _KEYS.search(panel.keys) or (panel.whole and not _HEADING.fullmatch(rows[0])):
        return None
    # In a low pane the heading and the tabs may be out of sight.
    asked = next((at for at, row in enumerate(rows) if _ASKED.match(row)), None)
    if asked is None and panel.whole:
        return None
    if asked is None:
        return _read_list(panel, _Tabs(), None) or _read_review(panel, _Tabs(), None)
    tabs = _read_tabs(next((row for row in reversed(rows[:asked]) if row), ""))
    if _REVIEW.search(rows[asked]):
        return _read_review(panel, tabs, asked)
    return _read_list(panel, tabs, asked)


def is_review(form: PromptForm) -> bool:
    """Return whether the form is the page that submits the answers."""
    return _SUBMIT.search(form.title) is not None


def _read_tabs(row: str) -> _Tabs:
    # The last tab submits; the open one has no mark.
    tabs = _TABS.split(row.strip())[:-1]
    marks = [_OTHER_TAB.match(tab) for tab in tabs]
    unanswered = tuple(
        at for at, mark in enumerate(marks, 1) if mark and mark["mark"] == _UNANSWERED_TAB
    )
    at = next((at for at, mark in enumerate(marks) if not mark), None)
    if at is None:
        return _Tabs(unanswered=unanswered)
    position = Position(at + 1, len(tabs)) if len(tabs) > 1 else None
    return _Tabs(tabs[at], position, unanswered)


def _read_list(panel: Panel, tabs: _Tabs, asked: int | None) -> ParsedPrompt | None:
    """Read a question that begins at this row, or has its beginning out of sight."""
    drawn = _options(panel, asked or 0)
    own = _OWN.fullmatch(drawn[-1].label) if drawn else None
    if own is None:
        return None
    rows, last = drawn[:-1], drawn[-1]
    several = last.checked is not None
    if not several and sum(row.selected for row in drawn) != 1:
        return None
    # A blank row is above the first option.
    if asked is None and (not drawn[0].first or panel.rows[drawn[0].first - 1]):
        return None
    text = _text(panel, asked or 0, drawn[0].first)
    question = Question(
        text,
        header=tabs.header,
        options=tuple(QuestionOption(row.label, row.description or None) for row in rows),
        multi_select=several,
        other=True,
    )
    form = PromptForm(
        Kind.QUESTION,
        text.split("\n")[0],
        subject=text if asked is not None else _subject(text, rows),
        truncated=asked is None,
        tool_name=ASK,
        questions=(question,),
        more_options=any(_MORE.fullmatch(row) for row in panel.rows),
        selected=next((row.label for row in rows if row.selected), None),
        position=tabs.position,
        unanswered=tabs.unanswered,
        top=panel.top,
    )
    focused = _TYPING.search(panel.keys) is not None
    # In the field a digit would be typed.
    key = None if focused else str(last.number or len(drawn))
    # Words without a tick stay in view, but are not sent.
    counts = focused or last.checked is not False
    field = Field(focused, (own["text"] or "") if counts else "", last, key)
    keys = tuple((row.label, str(at)) for at, row in enumerate(rows, 1))
    return ParsedPrompt(form, rows, keys if several else digits(rows), field)


def _subject(end: str, rows: Sequence[OptionRow]) -> str:
    """Return the end of a question in view; without one, its answers tell it from the next."""
    return f"…\n{end}" if end else "\n".join(row.label for row in rows)


def _text(panel: Panel, asked: int, end: int) -> str:
    rows = [row[_TEXT_INDENT:] for row in panel.rows[asked:end] if not _SAVES.fullmatch(row)]
    return unwrap(rows, panel.width - _TEXT_INDENT).strip("\n")


def _options(panel: Panel, start: int) -> tuple[OptionRow, ...]:
    """Return the rows of the list; a list with boxes has neither numbers nor a cursor."""
    drawn = [
        (at, match)
        for at in range(start, len(panel.rows))
        if (match := _ROW.fullmatch(panel.rows[at]))
    ]
    ends = (*(at for at, _ in drawn[1:]), len(panel.rows))
    return tuple(
        _option(panel, at, match, end) for (at, match), end in zip(drawn, ends, strict=False)
    )


def _option(panel: Panel, at: int, match: re.Match[str], end: int) -> OptionRow:
    column = match.start("label")
    below = [row for row in range(at + 1, end) if panel.rows[row].startswith(" " * column)]
    cut = _label_end(panel, at, below, column)
    label = [match["label"], *(panel.rows[row][column:] for row in below[:cut])]
    details = [panel.rows[row][len(_DETAILS) :] for row in below[cut:]]
    return OptionRow(
        int(match["number"]) if match["number"] else None,
        unwrap(label, panel.width - column).replace("\n", " ").strip(),
        match["mark"] is not None,
        None if match["box"] is None else match["box"] == "✓",
        unwrap(details, panel.width - len(_DETAILS)),
        at,
        below[-1] if below else at,
        column,
    )


def _label_end(panel: Panel, at: int, below: Sequence[int], column: int) -> int:
    """Count the rows below that continue a label; the rest, of another colour, describe it."""
    above, own = panel.rows[at], panel.style(at, column)
    for count, row in enumerate(below):
        indented = panel.rows[row][column : column + 1] == " "
        if indented or next_word_fits(above, panel.rows[row], panel.width):
            return count
        style = panel.style(row, column)
        if own and style and own.fg != style.fg:
            return count
        above = panel.rows[row]
    return len(below)


def _read_review(panel: Panel, tabs: _Tabs, heading: int | None) -> ReviewPrompt | None:
    """Read the page that submits; where its heading left the pane, a gap may be out of sight."""
    start = -1 if heading is None else heading
    rows = _options(panel, max(start, 0))
    ready = next(
        (at for at in range(max(start, 0), len(panel.rows)) if _SUBMIT.search(panel.rows[at])), None
    )
    if ready is None or len(rows) != 2 or sum(row.selected for row in rows) != 1:
        return None
    title = panel.rows[ready].strip()
    answers = "\n".join(row[2:] for row in panel.rows[start + 1 : ready]).strip("\n")
    form = PromptForm(
        Kind.QUESTION,
        title,
        answers,
        tool_name=ASK,
        questions=(Question(title, options=tuple(QuestionOption(row.label) for row in rows)),),
        selected=next(row.label for row in rows if row.selected),
        unanswered=tabs.unanswered,
        top=panel.top,
    )
    gap = _UNANSWERED.search(answers) is not None
    shown = 0 if gap else sum(map(bool, map(_GIVEN.match, panel.rows[max(start, 0) : ready])))
    complete = heading is not None and not gap
    return ReviewPrompt(
        form, rows, digits(rows), review=True, complete=complete, answers_shown=shown
    )
