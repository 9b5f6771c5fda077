"""Read what a program asks on its last line, and what it does otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core import (
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    QuestionOption,
    Screen,
    SeenState,
    SessionState,
    hookimpl,
)
from clawtap_core.screens import cursor_row, parsed_once, slugs
from clawtap_generic.last_line import (
    LastLine,
    is_full,
    last_line,
    nothing_below,
    text_above,
    wrapped,
)
from clawtap_generic.words import WORDS

_YES_NO = (WORDS.pattern("ask.yes_no"), WORDS.pattern("ask.spelled"))
_ROW, _CHOOSE = WORDS.pattern("ask.row"), WORDS.pattern("ask.choose")
_TEXT, _DEFAULT = WORDS.pattern("ask.text"), WORDS.pattern("ask.default")
_SECRET, _EMPTY = WORDS.pattern("ask.secret"), WORDS.pattern("ask.empty")
_COMPOSER = WORDS.pattern("composer.line")
_COUNT, _SPINNER = WORDS.pattern("menu.count"), WORDS.pattern("menu.spinner")
# Between the columns of a list: "1) one   3) three"
_COLUMN = re.compile(r"(?<=\S) {2,}(?=[\[(]?\d{1,2}[.):\]])")
_BRACKETS = re.compile(r"[\[\]()]")
_LABELS = {"y": "Yes", "n": "No", "a": "All", "q": "Quit", "s": "Skip"}
_EFFECTS = {"y": Effect.ALLOW_ONCE, "n": Effect.DENY, "a": Effect.ALLOW_ALWAYS}


@dataclass(frozen=True)
class Asked:
    """A prompt, its last line, and what is typed for each of its options."""

    form: PromptForm
    line: LastLine
    words: tuple[tuple[str, str], ...] = ()

    def word(self, label: str) -> str | None:
        """Return what is typed for this option."""
        return next((word for name, word in self.words if name == label), None)


@parsed_once
def read_prompt(screen: Screen) -> Asked | None:
    """Return what the line at the cursor asks, or None."""
    line = last_line(screen)
    if line is None or _SPINNER.match(line.text) or _is_counted(screen):
        return None
    if _COMPOSER.fullmatch(line.text):
        return _listed(screen, line)
    return _yes_no(screen, line) or _listed(screen, line) or _text(screen, line)


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt at the cursor."""
    asked = read_prompt(screen)
    return asked.form if asked else None


@hookimpl
def detect_state(screen: Screen) -> SeenState | None:
    """Return what the program does; None where it may ask something that is not understood."""
    if read_prompt(screen):
        return SeenState(SessionState.WAITING)
    if screen.cursor is None:
        return None
    if screen.cursor_visible is False:
        return None if _is_menu(screen) else SeenState(SessionState.BUSY)
    column, row = screen.cursor
    line = screen.lines[row] if row < len(screen.lines) else ""
    if (draft := _draft(screen, row, line)) is not None:
        return None if _is_finder(screen, draft) else SeenState(SessionState.IDLE, draft=draft)
    # After whole lines a program works; in the middle of one, or above others, as in an editor,
    # it waits for somebody.
    works = _SPINNER.match(line) if line else not column and nothing_below(screen)
    return SeenState(SessionState.BUSY) if works else None


def _draft(screen: Screen, row: int, line: str) -> str | None:
    """Return what stands in the composer whose draft ends in this row; None without one."""
    if not (composer := _COMPOSER.fullmatch(line)):
        # What fills the row above may belong to the draft.
        composer = _COMPOSER.fullmatch(wrapped(screen, row)[0]) if row < len(screen.lines) else None
        return (composer["draft"] or "") if composer else None
    draft = composer["draft"] or ""
    # The composer of aider repeats its mark in each row of a draft.
    while row and is_full(screen, row - 1):
        above = _COMPOSER.fullmatch(screen.lines[row - 1])
        if not above or above["mark"] != composer["mark"]:
            break
        draft, row = (above["draft"] or "") + draft, row - 1
    return draft


def _is_finder(screen: Screen, draft: str) -> bool:
    """Return whether what is typed filters a list, as in fzf, in which Enter picks a row."""
    # A list of completions appears below what was typed, that of a finder before.
    return _is_counted(screen) or bool(screen.alternate) or not (draft or nothing_below(screen))


def _is_counted(screen: Screen) -> bool:
    """Return whether a finder says at the cursor how many rows of its list fit."""
    column, row = screen.cursor or (0, 0)
    nearby = (*screen.lines[max(row - 1, 0) : row], *screen.lines[row + 1 : row + 2])
    return any(map(_COUNT.fullmatch, (*nearby, screen.lines[row][column:])))


def _is_menu(screen: Screen) -> bool:
    """Return whether a program that hides the cursor waits for keys; progress bars hide it, too."""
    if cursor_row(screen.lines) is not None:
        return True
    # While their spinner turns, such programs take keys only to drop them.
    return bool(screen.takes_keys) and not any(map(_SPINNER.match, screen.lines))


def _yes_no(screen: Screen, line: LastLine) -> Asked | None:
    match = next(filter(None, (pattern.fullmatch(line.text) for pattern in _YES_NO)), None)
    if match is None:
        return None
    above, title = _above(screen.lines[: line.top]), match["ask"]
    if not title:
        # The choices have a line of their own, below what they are about.
        above, _, title = above.rpartition("\n")
    spelled = "(" in match["choices"][1:]
    words = [part.strip() for part in _BRACKETS.sub("", match["choices"]).split("/")]
    typed = [word[0].lower() if spelled else word.lower() for word in words]
    labels = [_LABELS.get(word.lower(), word.capitalize()) for word in words]
    options = tuple(
        Option(value, label, _EFFECTS.get(word[0].lower(), Effect.OTHER))
        for value, label, word in zip(slugs(labels), labels, words, strict=True)
    )
    if not title or len({option.value for option in options}) != len(options):
        return None
    form = PromptForm(
        Kind.PERMISSION,
        title,
        above,
        # The rows above may scroll away.
        subject=title,
        options=options,
        top=line.top,
        above=text_above(screen, line),
    )
    return Asked(form, line, tuple(zip(labels, typed, strict=True)))


def _listed(screen: Screen, line: LastLine) -> Asked | None:
    """Return the numbered list that ends right above the last line, counted from 1."""
    match = _CHOOSE.fullmatch(line.text)
    row = line.top - 1
    while row >= 0 and not screen.lines[row]:
        row -= 1
    entries: list[tuple[int, str]] = []
    while row >= 0 and (cells := _entries(screen.lines[row])):
        if len(cells) == 1 and entries and cells[0][0] != entries[0][0] - 1:
            break
        entries[:0] = cells
        row -= 1
    # A list of several columns is counted across its rows or down its columns.
    entries.sort()
    labels = [label for _, label in entries]
    counted = [number for number, _ in entries] == [*range(1, len(entries) + 1)]
    if not match or len(entries) < 2 or not counted or len({*labels}) < len(labels):
        return None
    title = _paragraph(screen.lines[: row + 1]).rpartition("\n")[2] or match["ask"] or "Choose one"
    asks = "\n".join(filter(None, (title, match["ask"] if match["ask"] != title else "")))
    question = Question(asks, options=tuple(map(QuestionOption, labels)))
    above = text_above(screen, line)
    form = PromptForm(
        Kind.QUESTION, title, subject=asks, questions=(question,), top=row + 1, above=above
    )
    return Asked(form, line, tuple((label, str(number)) for number, label in entries))


def _entries(row: str) -> list[tuple[int, str]]:
    """Return the numbers and labels that stand in this row, in each column of the list."""
    columns = [_ROW.fullmatch(cell) for cell in _COLUMN.split(row)]
    entries = columns if all(columns) else [_ROW.fullmatch(row)]
    return [(int(entry["number"]), entry["label"].strip()) for entry in entries if entry]


def _text(screen: Screen, line: LastLine) -> Asked | None:
    has_default = _DEFAULT.fullmatch(line.text)
    match = has_default or _TEXT.fullmatch(line.text)
    if match is None:
        return None
    asks = f"{match['ask']} ({match['default']})" if has_default else match["ask"]
    secret = bool(screen.hides_input) or _SECRET.search(line.text) is not None
    # Many programs go on without a text: Enter is an answer, which only a person can choose.
    required = secret and not has_default and not _EMPTY.search(line.text)
    question = Question(asks, secret=secret, required=required)
    above = _above(screen.lines[: line.top])
    form = PromptForm(
        Kind.QUESTION,
        match["ask"],
        above,
        subject=match["ask"],
        questions=(question,),
        top=line.top,
        above=text_above(screen, line),
        # The rest of the line may still be on its way.
        provisional=True,
    )
    return Asked(form, line)


def _above(lines: Sequence[str]) -> str:
    """Return the paragraph above a question, which it refers to, also across an empty row."""
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    return _paragraph(lines[:end])


def _paragraph(lines: Sequence[str]) -> str:
    """Return the paragraph that ends here."""
    at = len(lines)
    while at and lines[at - 1]:
        at -= 1
    return "\n".join(lines[at:])
