"""Questions in a form between two rules: one field, or several in tabs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_copilot.words import WORDS
from clawtap_core import Kind, Position, PromptForm, Question, QuestionOption, Screen
from clawtap_core.prompts.identity import subject_of
from clawtap_core.protocol_io.elicitation import ACCEPT, CANCEL, DECLINE
from clawtap_core.screens import Field, OptionRow, ParsedPrompt, next_word_fits, parsed_once, unwrap

ASK = "ask_user"
_HEADING = WORDS.pattern("form.heading")
_AGENT = WORDS.texts("form.agent")
_PROBLEM = WORDS.pattern("form.problem")
_KEYS = WORDS.pattern("form.keys")
_OPENS = WORDS.pattern("form.opens")
_TAB_KEYS = WORDS.pattern("form.tab_keys")
_BAR = WORDS.pattern("form.bar")
_ROW = WORDS.pattern("form.row")
_TYPED = WORDS.pattern("form.typed")
_OTHER = WORDS.texts("questions.other")
_TAB = re.compile(r"(?P<open>\[)?(?P<label>[^\s\[\]]+(?: [^\s\[\]]+)*)\]?")
OPEN = replace(ACCEPT, value="open", label="Open")
# The keys of what a form of a server takes besides the values of its fields.
BUTTONS = {"accept": "Enter", "open": "Enter", "decline": "C-d", "cancel": "Escape"}
_TICK = "✓"
_RULE = "─"
# The CLI may leave the end of a row as it was before.
_RULE_LEFT_OVER = re.compile(r"(?<=[^\s─])─{3,}$")
_LABEL_ENDS = ":"
_MARGIN = 2


@dataclass(frozen=True)
class _Form:
    """A form taken apart: its rows on the screen without the margin, and those of the open field.

    `typed` is the text in the field below the form, where the user's own answer goes. `cut`: the
    top is out of sight. `server`: the heading, where a server of tools asks. `opens`: it asks to
    open a page.
    """

    cut: bool
    server: str
    opens: bool
    width: int
    message: str
    tabs: str
    field: range
    rows: tuple[str, ...]
    typed: str | None

    @property
    def open_field(self) -> tuple[str, ...]:
        """The rows of the open field."""
        return self.rows[self.field.start : self.field.stop]


@parsed_once
def read_form(screen: Screen) -> ParsedPrompt | None:
    """Read the open field of a form at the end of the screen."""
    form = _find(screen)
    if form is None:
        return None
    rows = _options(form)
    ruled = next((at for at, row in enumerate(form.open_field) if _is_rule(row)), None)
    # Below its label a field is whole.
    if form.cut and not "".join(form.open_field[:1]).endswith(_LABEL_ENDS):
        return None
    if rows:
        return _read_list(form, rows)
    if ruled is not None:
        return _read_text(form, ruled)
    return _read_without_fields(form) if form.server and not form.tabs else None


def _find(screen: Screen) -> _Form | None:
    lines = screen.lines
    top = next((at for at in range(len(lines) - 1, -1, -1) if _is_heading(lines, at)), None)
    cut = top is None
    server = lines[top].strip() if top is not None and not _is_agents(lines[top]) else ""
    if top is None:
        # In a low pane all rows are those of the form, below the tabs of the CLI.
        top = 0 if lines and _BAR.fullmatch(lines[0]) else -1
    bottom = next((at for at in range(max(top, 0), len(lines)) if _is_rule(lines[at], 0)), None)
    # A rule that is shorter than the one above the form is not painted to its end.
    length = screen.cols if cut else _rule_length(lines[top - 1]) if top else 0
    if bottom is None or len(lines[bottom]) < length:
        return None
    keys = _paragraph(lines, bottom)
    named = " ".join(line.strip() for line in lines[keys:bottom])
    if keys <= top + 1 or not _KEYS.search(named):
        return None
    typed = _below(lines[bottom + 1 :])
    if typed is None and any(lines[bottom + 1 :]):
        return None
    rows = tuple(_RULE_LEFT_OVER.sub("", line).removeprefix(" ") for line in lines)
    end = keys
    while end > top and not lines[end - 1]:
        end -= 1
    start = max(_paragraph(lines, end), top + 1)
    above, tabs = list(rows[top + 1 : start]), ""
    if _TAB_KEYS.search(named):
        last = max((at + 1 for at, row in enumerate(above) if row), default=0)
        at = _paragraph(above, last)
        above, tabs = above[:at], " ".join(above[at:])
    width = len(lines[bottom]) - _MARGIN
    message = unwrap(above, width).strip()
    opens = _OPENS.search(named) is not None
    return _Form(cut, server, opens, width, message, tabs, range(start, end), rows, typed)


def _is_heading(lines: Sequence[str], at: int) -> bool:
    """Return True for the row that names who asks, but not for the same words in a message."""
    if not _HEADING.fullmatch(lines[at]):
        return False
    above = next((row for row in reversed(lines[:at]) if row), "")
    return not above or _is_rule(lines[at - 1], 0) or _BAR.fullmatch(above) is not None


def _is_agents(heading: str) -> bool:
    match = _HEADING.fullmatch(heading)
    return match is not None and match["asker"] in _AGENT


def _paragraph(rows: Sequence[str], end: int) -> int:
    """Return where the rows without a blank begin that end before this one."""
    while end and rows[end - 1]:
        end -= 1
    return end


def _is_rule(row: str, indent: int | None = None) -> bool:
    text = row.strip()
    return len(text) > 1 and not text.strip(_RULE) and indent in (None, row.index(_RULE))


def _rule_length(row: str) -> int:
    return len(row) if _is_rule(row, 0) else 0


def _below(lines: Sequence[str]) -> str | None:
    """Return what is in a field that is the last thing on the screen, or None."""
    rows = [line for line in lines if line]
    if len(rows) < 3 or not (_is_rule(rows[0], 0) and _is_rule(rows[-1], 0)):
        return None
    match = _TYPED.fullmatch(rows[1])
    if match is None:
        return None
    text = unwrap(
        [match["text"], *(row.removeprefix("  ") for row in rows[2:-1])], len(rows[0]) - 2
    )
    return "" if text in _OTHER else text


def _options(form: _Form) -> tuple[OptionRow, ...]:
    """Return the rows of the list, which may continue on rows without a mark."""
    options: list[OptionRow] = []
    for at in form.field:
        match = _ROW.fullmatch(form.rows[at])
        if match is None:
            if options and _continues(form, at):
                label = f"{options[-1].label} {form.rows[at]}"
                options[-1] = replace(options[-1], label=label, last=at)
            elif options:
                return ()
            continue
        checked = None if match["box"] is None else match["box"] == _TICK
        column = match.start("label") + 1
        # A tick in its place marks what was chosen before.
        selected = match["mark"] not in (" ", _TICK)
        options.append(OptionRow(None, match["label"], selected, checked, "", at, at, column))
    return tuple(options) if sum(row.selected for row in options) == 1 else ()


def _continues(form: _Form, at: int) -> bool:
    """Return True if a row continues a label: it begins at the left edge, below a full row."""
    above, row = form.rows[at - 1], form.rows[at]
    flush = bool(row) and not row.startswith(" ") and not _is_rule(row)
    return flush and not next_word_fits(above, row, form.width)


def _asked(form: _Form, end: int) -> Question:
    """Return the question: what the form says, and the label and the help of its field."""
    label, *about = form.rows[form.field.start : end] or ("",)
    label = _label_and_problem(label)[0].removesuffix(_LABEL_ENDS)
    words = (form.message, *about) if not form.tabs else (label, *about)
    return Question("\n".join(word for word in words if word), header=label)


def _label_and_problem(row: str) -> tuple[str, str]:
    """Return the label of a field, and why its value is not taken."""
    match = _PROBLEM.fullmatch(row)
    return (match["label"], match["problem"]) if match else (row, "")


def _prompt(form: _Form, question: Question, selected: str | None) -> PromptForm:
    about = form.message if form.server and form.tabs else ""
    problem = _label_and_problem("".join(form.open_field[:1]))[1]
    return PromptForm(
        Kind.QUESTION,
        form.server or form.message.split("\n")[0] or question.header,
        "\n".join(text for text in (about, problem) if text),
        subject=_subject(form, question),
        truncated=form.cut,
        tool_name=None if form.server else ASK,
        options=(DECLINE, CANCEL) if form.server else (),
        questions=(question,),
        selected=selected,
        position=_position(form.tabs),
    )


def _read_without_fields(form: _Form) -> ParsedPrompt:
    """Read a form to accept as it is, or a page to open: its keys are all that it takes."""
    message = unwrap((*form.message.split("\n"), *form.open_field), form.width).strip()
    asked = PromptForm(
        Kind.QUESTION,
        form.server,
        message,
        subject=subject_of(form.server, message, cut=form.cut),
        truncated=form.cut,
        options=(OPEN, CANCEL) if form.opens else (ACCEPT, DECLINE, CANCEL),
    )
    return ParsedPrompt(asked)


def _subject(form: _Form, question: Question) -> str:
    """Return what tells one page from others: all of it, or the end where its top left the pane."""
    asked = (question.question,) if form.tabs else ()
    labels = (option.label for option in question.options)
    server = (form.server,) if form.server else ()
    return subject_of(*server, form.message, *asked, question.header, *labels, cut=form.cut)


def _position(tabs: str) -> Position | None:
    labels = list(_TAB.finditer(tabs))
    open_at = next((at for at, tab in enumerate(labels, 1) if tab["open"]), None)
    return Position(open_at, len(labels)) if open_at else None


def _read_list(form: _Form, rows: tuple[OptionRow, ...]) -> ParsedPrompt:
    other = rows[-1] if rows[-1].label in _OTHER else None
    choices = rows[:-1] if other else rows
    asked = _asked(form, rows[0].first)
    question = Question(
        asked.question,
        header=asked.header,
        options=tuple(QuestionOption(row.label) for row in choices),
        multi_select=any(row.checked is not None for row in rows),
        other=other is not None,
        # The CLI does not say which fields a server needs before one is left empty.
        required=not form.server,
    )
    selected = next((row.label for row in choices if row.selected), None)
    # While the cursor is elsewhere, a text that was typed is out of sight.
    field = Field(other.selected, form.typed if other.selected else None, other) if other else None
    return ParsedPrompt(_prompt(form, question, selected), choices, field=field)


def _read_text(form: _Form, ruled: int) -> ParsedPrompt | None:
    rows = [row for row in form.open_field[ruled:] if not _is_rule(row)]
    match = _TYPED.fullmatch(rows[0]) if rows else None
    if match is None:
        return None
    text = unwrap([match["text"], *(row.strip() for row in rows[1:])], form.width)
    asked = _asked(form, form.field.start + ruled)
    question = Question(
        asked.question,
        header=asked.header,
        input_type="text",
        required=not form.server,
        placeholder=(text or None) if form.server else None,
    )
    return ParsedPrompt(_prompt(form, question, None), field=Field(True, text))
