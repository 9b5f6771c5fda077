"""Questions of the model: a list with a row for free text, tabs, and the page that sends them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_core import Kind, Position, PromptForm, Question, QuestionOption
from clawtap_core.prompts.identity import squeeze, subject_of
from clawtap_core.screens import Field, OptionRow, ParsedPrompt, digits, unwrap
from clawtap_qwen.screen.block import Block
from clawtap_qwen.words import WORDS

_HINT = WORDS.pattern("questions.hint")
_REVIEW = WORDS.pattern("questions.review")
_UNANSWERED = WORDS.pattern("questions.unanswered")
_PLACEHOLDERS = WORDS.texts("questions.placeholder")
_TAB = re.compile(r"(?P<open>▸ )?(?P<name>\S.*?)(?P<done> ✓)?")
_BETWEEN_TABS = re.compile(r" {2,}| (?=▸)")
_ANSWERED = " ✓"
ASK = "ask_user_question"


@dataclass(frozen=True)
class _Heading:
    """What is above a question: its header or its open tab, and which tabs have no tick."""

    header: str = ""
    position: Position | None = None
    unanswered: tuple[int, ...] = ()


@dataclass(frozen=True)
class ReviewPrompt(ParsedPrompt):
    """The page after the last question; `complete`: no answer that it shows is missing."""

    complete: bool = False

    def answers(self, questions: Sequence[Question]) -> bool:
        """Return True if all of these are answered here; in a low pane some may be out of sight."""
        shown = squeeze(self.form.description)
        return self.complete and (
            not self.form.truncated
            or all(each.header and squeeze(f"{each.header}:") in shown for each in questions)
        )


def read_question(block: Block) -> ParsedPrompt | None:
    """Read a question, or the page that sends the answers."""
    if not _HINT.match(block.hint):
        return None
    hidden = block.options[:1] and block.options[0].number != 1
    heading, rows = _heading(block, () if hidden else block.rows[: block.start])
    text = unwrap(rows, block.width).strip("\n")
    if heading.position is None and _REVIEW.search(text):
        return _read_review(block, heading, text)
    return _read_list(block, heading, text)


def is_review(form: PromptForm) -> bool:
    """Return whether the form is the page that sends the answers."""
    return _REVIEW.search(form.title) is not None


def _heading(block: Block, rows: Sequence[str]) -> tuple[_Heading, Sequence[str]]:
    """Return the heading, and the rows of the question."""
    # A narrow pane wraps the headline of the call.
    begin = _first(rows, blank=True) if block.head is not None else 0
    first = begin + _first(rows[begin:], blank=False)
    if first == len(rows):
        return _Heading(), rows
    tabs = [_TAB.fullmatch(tab) for tab in _BETWEEN_TABS.split(rows[first].strip())]
    at = next((index for index, tab in enumerate(tabs) if tab and tab["open"]), None)
    if at is not None and (tab := tabs[at]):
        # The last tab is the page that sends the answers.
        total = len(tabs) - 1
        position = None if at == total else Position(at + 1, total)
        unanswered = tuple(n for n, each in enumerate(tabs[:-1], 1) if each and not each["done"])
        return _Heading(tab["name"], position, unanswered), rows[first + 1 :]
    if block.head is None:
        # What is in view may be the header, or a paragraph of the question.
        return _Heading(), rows
    end = next((row for row in range(first, len(rows)) if not rows[row].strip()), len(rows))
    return _Heading(unwrap(rows[first:end], block.width)), rows[end:]


def _first(rows: Sequence[str], *, blank: bool) -> int:
    """Return the first row that is blank, or the first one that is not; else the row after all."""
    found = (at for at, row in enumerate(rows) if bool(row.strip()) is not blank)
    return next(found, len(rows))


def _read_list(block: Block, heading: _Heading, text: str) -> ParsedPrompt | None:
    *rows, own = (replace(row, label=row.label.removesuffix(_ANSWERED)) for row in block.options)
    several = own.checked is not None
    question = Question(
        text,
        header=heading.header,
        options=tuple(QuestionOption(row.label, row.description or None) for row in rows),
        multi_select=several,
        other=True,
        placeholder=_PLACEHOLDERS[0],
    )
    form = PromptForm(
        Kind.QUESTION,
        text.split("\n\n")[-1].replace("\n", " "),
        # A low pane has no room for all of it: then its end tells it from the next one.
        subject=subject_of(
            *([] if heading.position else [heading.header]),
            text,
            *(row.label for row in rows),
            cut=block.cut,
        ),
        truncated=block.cut,
        more_options=bool(rows) and rows[0].number != 1,
        tool_name=ASK,
        questions=(question,),
        selected=next((row.label for row in rows if row.selected), None),
        position=heading.position,
        unanswered=heading.unanswered,
        top=block.begin,
    )
    # With boxes a digit only moves the cursor.
    return ParsedPrompt(form, tuple(rows), () if several else digits(rows), _field(own))


def _field(row: OptionRow) -> Field:
    text = row.label.removeprefix("> ") if row.selected else row.label
    # A narrow row wraps the placeholder.
    if any(words.startswith(text) for words in _PLACEHOLDERS):
        return Field(row.selected, "", row)
    # It shows the last row of its text, which is empty where a blank was wrapped.
    return Field(row.selected, " " if row.selected and text == ">" else text, row)


def _read_review(block: Block, heading: _Heading, text: str) -> ReviewPrompt:
    labels = [row.label for row in block.options]
    answers, _, title = text.rpartition("\n\n")
    question = Question(title.strip(), options=tuple(map(QuestionOption, labels)))
    form = PromptForm(
        Kind.QUESTION,
        title.strip(),
        answers.strip("\n"),
        truncated=block.cut,
        tool_name=ASK,
        questions=(question,),
        selected=next((row.label for row in block.options if row.selected), None),
        unanswered=heading.unanswered,
        top=block.begin,
    )
    complete = _UNANSWERED.search(answers) is None
    return ReviewPrompt(form, block.options, digits(()), review=True, complete=complete)
