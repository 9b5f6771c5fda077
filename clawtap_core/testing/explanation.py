"""Find out which rows of a screen an adapter reads as what.

Adapters say what a prompt asks, not where it is. So rows are found by their words, and by
reading the screen again without the words of each row: what is then missing stood there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from clawtap_core.host import Adapter
from clawtap_core.model import PromptForm, Screen, SeenState, SessionState
from clawtap_core.prompts.identity import squeeze
from clawtap_core.testing.truth import labels, takes_text

# Frames and marks of every sort, but no sign by which an option or a command may begin.
_BEFORE_WORDS = re.compile(r"""[^\w(\[{/"'`$~.-]*(?:\d+[.)]\s*)?(?:\[.\]\s*)?""")
_COMPOSER = re.compile(r"[\s│┃║|]*\S*[>❯›»$](?:\s|$)")
_WORDS = re.compile(r"[^\s─-╿]")
_KEY_HINT = re.compile(r"\(.*\)$")
_SIDES = " │┃║|"
# A shorter row may begin many texts.
_SHORTEST, _ENOUGH = 4, 20


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was read on a screen, and which parts of it are on each row (from 0)."""

    form: PromptForm | None
    seen: SeenState | None
    parts: Mapping[int, tuple[str, ...]]


def explain(adapter: Adapter, screen: Screen) -> Explanation:
    """Read a screen, and find the rows of everything that was read."""
    form, seen = adapter.detect_prompt(screen), adapter.detect_state(screen, None)
    parts = defaultdict[int, list[str]](list)
    for row, words in _of_prompt(form, screen) if form else _of_state(seen, screen):
        parts[row].append(words)
    lowest = max(parts, default=0)
    for row, line in enumerate(screen.lines):
        if row in parts or not line:
            continue
        without = without_words(screen, row)
        if form is None:
            part = _missing_state(seen, adapter.detect_state(without, None))
        else:
            part = _missing_part(form, adapter.detect_prompt(without))
            if part and takes_text(form) and row == _cursor_row(screen):
                part = "text field"
            elif part and not any(char.isalnum() for char in line):
                part = "frame"
            elif part == "needed" and _shows_part(_body(form), _words(screen, row)):
                part = "body"
            elif part == "needed" and row > lowest:
                part = _below_the_words(form, parts.values())
        if part:
            parts[row].append(part)
    return Explanation(form, seen, {row: tuple(parts[row]) for row in sorted(parts)})


def _cursor_row(screen: Screen) -> int | None:
    """Return the row of the terminal's cursor, if it is shown."""
    return screen.cursor[1] if screen.cursor and screen.cursor_visible is not False else None


def _below_the_words(form: PromptForm, parts: Collection[list[str]]) -> str:
    """Name what a prompt needs below its words: its text field, then its footer."""
    found = form.more_options or ["text field"] in parts
    return "text field" if takes_text(form) and not found else "footer"


def without_words(screen: Screen, row: int) -> Screen:
    """Return the screen without the words of one row; a row of lines only becomes blank."""
    line = screen.lines[row]
    kept = _WORDS.sub(" ", line) if _WORDS.search(line) else ""
    return replace(screen, captured=(*screen.captured[:row], kept, *screen.captured[row + 1 :]))


def _of_prompt(form: PromptForm, screen: Screen) -> Iterator[tuple[int, str]]:
    """Find the words of a prompt from the bottom up, since the open prompt is lowest."""
    end, top = len(screen.lines), form.top or 0
    options = [(option.label, option.description or "") for option in form.options]
    for question in form.questions:
        options += [(option.label, option.description or "") for option in question.options]
    missed: list[tuple[int, str]] = []
    rows_of_options: set[int] = set()
    for number, (label, description) in reversed(list(enumerate(options, 1))):
        row = _lowest(screen, range(top, end), label)
        # Options that only keys choose are not on the screen; a title may begin with their words.
        if row is None or _words(screen, row) == squeeze(form.title):
            missed.insert(0, (number, label))
            continue
        rows_of_options.add(row)
        yield row, f"option {number}"
        if _selected_label(form) == label:
            yield row, "cursor"
        for below in range(row + 1, end):
            if _holds(description, screen, below):
                yield below, f"option {number}"
        end = row
    for number, label in missed:
        # Buttons stand in one row.
        for row in rows_of_options:
            if squeeze(label) in _words(screen, row):
                yield row, f"option {number}"
                if _selected_label(form) == label:
                    yield row, "cursor"
    asked = {question.question: "question" for question in form.questions} | {form.title: "title"}
    rows = {
        part: _lowest(screen, range(top, end), text, anywhere=True) for text, part in asked.items()
    }
    asked_on = {part: row for part, row in rows.items() if row is not None}
    yield from ((row, part) for part, row in asked_on.items())
    for row in range(min(asked_on.values(), default=top), end):
        if row in asked_on.values():
            others = _words(screen, row).replace(squeeze(form.title), "")
            shows_body = _shows_part(_body(form), others)
        else:
            shows_body = _holds(_body(form), screen, row)
        if shows_body:
            yield row, "body"


def _of_state(seen: SeenState | None, screen: Screen) -> Iterator[tuple[int, str]]:
    """Find the words of a state: the composer with its draft, the mode and the model."""
    lines = list(enumerate(screen.lines))[::-1]
    if seen and seen.draft is not None:
        draft = squeeze(seen.draft.split("\n")[0])
        marked = [row for row, line in lines if _COMPOSER.match(line) and draft in squeeze(line)]
        holding = [row for row, line in lines if draft and draft in squeeze(line)]
        for row in (marked or holding)[:1]:
            yield row, "draft" if draft else "composer"
    for part, word in (("mode", seen and seen.mode), ("model", seen and seen.model)):
        rows = (row for row, line in lines if word and word in line.split())
        if (at := next(rows, None)) is not None:
            yield at, part


def _body(form: PromptForm) -> str:
    return "\n".join([form.description, *map(str, (form.tool_input or {}).values())])


def _lowest(screen: Screen, rows: range, text: str, *, anywhere: bool = False) -> int | None:
    """Return the lowest of the rows where a text begins, which may be wrapped.

    With `anywhere`, other words may be before it.
    """
    whole = squeeze(text)
    begins: list[Callable[[str], bool]] = [
        # A key hint in brackets may follow: "No (esc)" is "No", "No, and say why" is not.
        lambda words: bool(whole) and _KEY_HINT.sub("", words) == whole,
        lambda words: bool(whole) and words.startswith(whole),
        lambda words: len(words) >= _SHORTEST and whole.startswith(words),
        # What follows may be a sign of wrapping, or another column.
        lambda words: len(whole) > _ENOUGH and words.startswith(whole[:_ENOUGH]),
        lambda words: anywhere and len(whole) >= _SHORTEST and whole in words,
    ]
    lines = [(row, _words(screen, row)) for row in reversed(rows)]
    return next((row for fits in begins for row, words in lines if fits(words)), None)


def _holds(text: str, screen: Screen, row: int) -> bool:
    words = _words(screen, row)
    return bool(words) and words in squeeze(text)


def _shows_part(text: str, words: str) -> bool:
    """Return True if a row shows a line of a text, or a good part of one, among other words."""
    lines = [squeeze(line) for line in text.split("\n")]
    if any(len(line) >= _SHORTEST and line in words for line in lines):
        return True
    same = SequenceMatcher(None, words, squeeze(text), autojunk=False).find_longest_match().size
    return same >= _ENOUGH or (same >= _SHORTEST and same * 2 > len(words))


def _words(screen: Screen, row: int) -> str:
    line = screen.lines[row]
    match = _BEFORE_WORDS.match(line)
    return squeeze(line[match.end() if match else 0 :].strip(_SIDES))


def _selected_label(form: PromptForm) -> str | None:
    option = form.option(form.selected) if form.selected else None
    return option.label if option else form.selected


def _missing_part(form: PromptForm, other: PromptForm | None) -> str | None:
    """Name what a prompt lacks without the words of one of its rows."""
    if other is None or other.kind is not form.kind:
        return "needed"
    parts = {
        "title": other.title != form.title,
        "body": (other.description, other.tool_input) != (form.description, form.tool_input),
        "option": labels(other) != labels(form),
        "text field": takes_text(other) != takes_text(form),
        "position": other.position != form.position,
        "cursor": other.selected != form.selected,
        "details": replace(other, top=form.top, screen=form.screen) != form,
    }
    return next((part for part, differs in parts.items() if differs), None)


def _missing_state(seen: SeenState | None, other: SeenState | None) -> str | None:
    """Name what a state lacks without the words of one row."""
    if seen is None or other == seen:
        return None
    state = "busy line" if seen.state is SessionState.BUSY else f"{seen.state.value} line"
    if other is None:
        return state
    parts = {
        state: other.state is not seen.state,
        "draft": other.draft != seen.draft,
        "mode": other.mode != seen.mode,
        "model": other.model != seen.model,
        "answer": other.streaming != seen.streaming,
        "thinking": other.thinking != seen.thinking,
        "refusal": other.refusal != seen.refusal,
    }
    return next((part for part, differs in parts.items() if differs), None)
