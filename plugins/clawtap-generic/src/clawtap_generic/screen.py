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
from clawtap_generic.last_line import LastLine, last_line
from clawtap_generic.words import WORDS

_YES_NO = (WORDS.pattern("ask.yes_no"), WORDS.pattern("ask.spelled"))
_ROW, _CHOOSE = WORDS.pattern("ask.row"), WORDS.pattern("ask.choose")
_TEXT, _DEFAULT = WORDS.pattern("ask.text"), WORDS.pattern("ask.default")
_SECRET, _EMPTY = WORDS.pattern("ask.secret"), WORDS.pattern("ask.empty")
_COMPOSER = WORDS.pattern("composer.line")
_COUNT, _SPINNER = WORDS.pattern("menu.count"), WORDS.pattern("menu.spinner")
_BRACKETS = re.compile(r"[\[\]()]")
_LABELS = {"y": "Yes", "n": "No", "a": "All", "q": "Quit", "s": "Skip"}
_EFFECTS = {"y": Effect.ALLOW_ONCE, "n": Effect.DENY, "a": Effect.ALLOW_ALWAYS}
_MOST_ABOVE = 8


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
    if line is None or _COMPOSER.fullmatch(line.text):
        return _listed(screen, line) if line else None
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
    column, row = screen.cursor
    line = screen.lines[row] if row < len(screen.lines) else ""
    if composer := _COMPOSER.fullmatch(line):
        if row and _COUNT.fullmatch(screen.lines[row - 1]):
            # A finder such as fzf: what is typed there filters the list above it.
            return None
        return SeenState(SessionState.IDLE, draft=composer["draft"] or "")
    if screen.cursor_visible is False:
        return None if _is_menu(screen) else SeenState(SessionState.BUSY)
    # After whole lines a program works; in the middle of one it waits for somebody.
    return SeenState(SessionState.BUSY) if not line and not column else None


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
    spelled = "(" in match["choices"][1:]
    words = [part.strip() for part in _BRACKETS.sub("", match["choices"]).split("/")]
    typed = [word[0].lower() if spelled else word.lower() for word in words]
    labels = [_LABELS.get(word.lower(), word.capitalize()) for word in words]
    options = tuple(
        Option(value, label, _EFFECTS.get(word[0].lower(), Effect.OTHER))
        for value, label, word in zip(slugs(labels), labels, words, strict=True)
    )
    if len({option.value for option in options}) != len(options):
        return None
    form = PromptForm(
        Kind.PERMISSION,
        match["ask"],
        _above(screen.lines[: line.top]),
        # The rows above may scroll away.
        subject=match["ask"],
        options=options,
        top=line.top,
    )
    return Asked(form, line, tuple(zip(labels, typed, strict=True)))


def _listed(screen: Screen, line: LastLine) -> Asked | None:
    """Return the numbered list that ends right above the last line, counted from 1."""
    match = _CHOOSE.fullmatch(line.text)
    row = line.top - 1
    while row >= 0 and not screen.lines[row]:
        row -= 1
    rows: list[re.Match[str]] = []
    while row >= 0 and (entry := _ROW.fullmatch(screen.lines[row])):
        if rows and int(entry["number"]) != int(rows[0]["number"]) - 1:
            break
        rows.insert(0, entry)
        row -= 1
    labels = [entry["label"].strip() for entry in rows]
    if not match or len(rows) < 2 or int(rows[0]["number"]) != 1 or len({*labels}) < len(labels):
        return None
    title = _above(screen.lines[: row + 1]).rpartition("\n")[2] or match["ask"] or "Choose one"
    asks = "\n".join(filter(None, (title, match["ask"] if match["ask"] != title else "")))
    question = Question(asks, options=tuple(map(QuestionOption, labels)))
    form = PromptForm(Kind.QUESTION, title, subject=asks, questions=(question,), top=row + 1)
    return Asked(form, line, tuple((entry["label"].strip(), entry["number"]) for entry in rows))


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
        # The rest of the line may still be on its way.
        provisional=True,
    )
    return Asked(form, line)


def _above(lines: Sequence[str]) -> str:
    """Return the paragraph that ends here, which a question refers to."""
    at = len(lines)
    while at and lines[at - 1] and len(lines) - at < _MOST_ABOVE:
        at -= 1
    return "\n".join(lines[at:])
