"""Questions: numbered rows, alone or in tabs whose last one reviews the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_core import Kind, Position, PromptForm, Question, QuestionOption
from clawtap_core.screens import (
    Field,
    OptionRow,
    ParsedPrompt,
    button_row,
    digits,
    numbered_rows,
    select_by_style,
    style_at,
    unwrap,
)
from clawtap_opencode.screen.block import Panel
from clawtap_opencode.words import WORDS

ASK = "question"
SUBMIT, DISMISS = "Submit", "Dismiss"
_HINT = WORDS.pattern("questions.hint")
_SEVERAL = WORDS.pattern("questions.several")
_TICK = WORDS.pattern("questions.tick")
_UNANSWERED = WORDS.pattern("questions.unanswered")
_OWN_ANSWER = WORDS.texts("questions.own_answer")
_REVIEW = WORDS.texts("questions.review")
_CONFIRM = WORDS.texts("questions.confirm")
_TAB_INDENT, _INDENT, _MARGIN = "   ", "  ", 4
_BELOW_TABS = 3


@dataclass(frozen=True)
class ReviewPrompt(ParsedPrompt):
    """The last tab: all answers. `complete`: each question has one."""

    complete: bool = True


@dataclass(frozen=True)
class _Tabs:
    """The open tab of a form; no tabs for a single question that takes one answer.

    `unanswered` are the positions of the closed tabs that are dimmer than the question.
    """

    header: str = ""
    position: Position | None = None
    unanswered: tuple[int, ...] = ()


def read_question(panel: Panel) -> ParsedPrompt | None:
    """Return the open question, or the review of the answers."""
    hint = next((at for at in range(len(panel.rows) - 1, 0, -1) if panel.rows[at].strip()), 0)
    cut = not _HINT.fullmatch(panel.rows[hint])
    if len(panel.rows) < 5 or (cut and not panel.fills_screen):
        return None
    if cut:
        hint = len(panel.rows)
    tabs = _read_tabs(panel) if panel.rows[1].startswith(_TAB_INDENT) else _Tabs()
    if tabs is None:
        return None
    start = 1 if tabs == _Tabs() else _BELOW_TABS
    rows = panel.rows[start:hint]
    if rows and rows[0].strip() in _REVIEW:
        return None if cut else _read_review(panel, tabs, rows)
    options = _read_rows(panel, start, hint)
    if cut and not _is_whole(options):
        return None
    return _read_list(panel, tabs, rows, options, start) if options else None


def is_review(form: PromptForm) -> bool:
    """Return whether the form is the tab that reviews the answers."""
    return form.tool_name == ASK and form.title in _REVIEW


def _read_tabs(panel: Panel) -> _Tabs | None:
    """Return the tab with the bar's colour behind it; None unless the last one confirms."""
    labels = button_row(
        panel.screen,
        panel.top + 1,
        lambda style: style.bg is not None and style.bg == panel.colour,
        start=panel.column + 1,
        end=panel.column + 1 + panel.width,
    )
    if len(labels) < 2 or labels[-1].label not in _CONFIRM:
        return None
    open_tab = next((at for at, row in enumerate(labels, 1) if row.selected), None)
    if open_tab is None:
        return None
    question = panel.style(_BELOW_TABS, len(_INDENT))
    tabs = [style_at(panel.screen, row.first, row.column) for row in labels[:-1]]
    unanswered = tuple(
        at
        for at, tab in enumerate(tabs, 1)
        if at != open_tab and tab and question and tab.fg != question.fg
    )
    return _Tabs(labels[open_tab - 1].label, Position(open_tab, len(labels) - 1), unanswered)


def _read_rows(panel: Panel, start: int, hint: int) -> tuple[OptionRow, ...]:
    """Return the numbered rows, at their places on the screen."""

    def colour(row: int, column: int) -> str | None:
        style = panel.style(start + row, column)
        return style.fg if style else None

    rows = numbered_rows(panel.rows[start:hint], panel.width - _MARGIN, colour)
    down, right = panel.top + start, panel.column + 1
    placed = [
        replace(row, first=row.first + down, last=row.last + down, column=row.column + right)
        for row in rows
    ]
    plain = panel.style(0, 0)
    return select_by_style(
        panel.screen, placed, lambda style: plain is not None and style.bg != plain.bg
    )


def _is_whole(options: Sequence[OptionRow]) -> bool:
    """Return True if the list ends in view, below which a low pane cuts the panel off."""
    ends = bool(options) and _without_tick(options[-1].label) in _OWN_ANSWER
    return ends and any(row.selected for row in options)


def _read_list(
    panel: Panel, tabs: _Tabs, rows: Sequence[str], options: tuple[OptionRow, ...], start: int
) -> ParsedPrompt:
    above = options[0].first - panel.top - start
    text = unwrap((row.removeprefix(_INDENT) for row in rows[:above]), panel.width - _MARGIN)
    several = _SEVERAL.search(text)
    title = text[: several.start()] if several else text
    options = tuple(replace(row, label=_without_tick(row.label)) for row in options)
    own = options[-1] if options[-1].label in _OWN_ANSWER else None
    choices = options[:-1] if own else options
    question = Question(
        title,
        header=tabs.header,
        options=tuple(QuestionOption(row.label, row.description or None) for row in choices),
        multi_select=several is not None,
        other=own is not None,
    )
    form = PromptForm(
        Kind.QUESTION,
        title,
        tool_name=ASK,
        questions=(question,),
        selected=next((row.label for row in choices if row.selected), None),
        position=tabs.position,
        unanswered=tabs.unanswered,
        top=panel.top,
    )
    return ParsedPrompt(form, choices, digits(choices), _field(panel, own, start) if own else None)


def _without_tick(label: str) -> str:
    """Return the label of a row that may be chosen already."""
    tick = _TICK.search(label)
    return label[: tick.start()] if tick else label


def _field(panel: Panel, row: OptionRow, start: int) -> Field:
    """Read the user's own answer, below its row. While it is open it has the question's colour."""
    if not row.description:
        return Field(False, "", row, str(row.number))
    below = row.first - panel.top + 1
    asked, typed = panel.style(start, len(_INDENT)), panel.style(below, len("     "))
    if row.description in _OWN_ANSWER:
        return Field(True, "", row)
    focused = bool(asked and typed and asked.fg == typed.fg)
    # Without its tick an answer stays in view, but is not sent.
    text = row.description if focused or row.checked is not False else ""
    return Field(focused, text, row, None if focused else str(row.number))


def _read_review(panel: Panel, tabs: _Tabs, rows: Sequence[str]) -> ReviewPrompt:
    text = "\n".join(row.strip() for row in rows[1:] if row.strip())
    title = rows[0].strip()
    question = Question(title, options=(QuestionOption(SUBMIT), QuestionOption(DISMISS)))
    form = PromptForm(
        Kind.QUESTION,
        title,
        text,
        tool_name=ASK,
        questions=(question,),
        selected=SUBMIT,
        unanswered=tabs.unanswered,
        top=panel.top,
    )
    return ReviewPrompt(form, review=True, complete=_UNANSWERED.search(text) is None)
