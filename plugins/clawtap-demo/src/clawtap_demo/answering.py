"""From an answer to keys: the cursor is moved from where it really is, and read before Enter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from clawtap_core import Expect, Press, PromptForm, Response, Screen, Step, Steps, Type
from clawtap_demo.reading import read_answers
from clawtap_demo.rows import Row, Rows

T = TypeVar("T")
ENTER = Press("Enter", deciding=True)


def answer(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """The next steps of an answer."""
    rows = read_answers(screen)
    if rows is None or rows.here is None:
        return None
    labels, text = _wanted(prompt, response)
    if not labels and not text:
        return Steps((Press("Escape", deciding=True),), done=True)
    if prompt.questions and prompt.questions[0].multi_select:
        return _tick(rows, labels, text, progress)
    return _choose(rows, labels, text, progress)


def _wanted(prompt: PromptForm, response: Response) -> tuple[set[str], str]:
    """The labels to choose, and the text to type; neither: Escape."""
    if prompt.questions:
        given = response.answers.get("0", ())
        answers = (given,) if isinstance(given, str) else given
        offered = {option.label for option in prompt.questions[0].options}
        return set(answers) & offered, ", ".join(word for word in answers if word not in offered)
    if option := prompt.option(response.selected_option or ""):
        return {option.label}, ""
    return set(), response.text_value or (response.reason or "" if prompt.text_input else "")


def _choose(rows: Rows, labels: set[str], text: str, progress: Any) -> Steps | None:
    """One row, or the text field: go there, fill it, Enter."""
    target = _index(rows, lambda row: row.takes_text if text else row.label in labels)
    if target is None:
        return _search(rows, progress)
    if target != rows.here:
        return Steps(_move(rows, target), progress)
    row = rows.rows[target]
    if text and row.typed != _as_typed(row, text):
        return _fill(row, text, progress)
    return Steps((ENTER,), done=True)


def _tick(rows: Rows, labels: set[str], text: str, progress: Any) -> Steps | None:
    """The rows to tick or untick, from the top down, then Enter."""
    if progress is None and rows.above:
        return Steps(_move(rows, 0))
    target = _index(rows, lambda row: _differs(row, labels, text))
    if target is None:
        return Steps(_move(rows, len(rows.rows) - 1), "down") if rows.below else _done()
    if target != rows.here:
        return Steps(_move(rows, target), "down")
    row = rows.rows[target]
    if row.takes_text:
        return _fill(row, text, progress)
    return Steps((Press("Space"), Expect("❯" + _ticked(row), within=5.0)), "down")


def _done() -> Steps:
    return Steps((ENTER,), done=True)


def _differs(row: Row, labels: set[str], text: str) -> bool:
    if row.takes_text:
        return row.typed != _as_typed(row, text)
    return row.checked != (row.label in labels)


def _ticked(row: Row) -> str:
    """The row as it looks after Space."""
    before, after = ("[x]", "[ ]") if row.checked else ("[ ]", "[x]")
    return row.shown.replace(before, after, 1)


def _as_typed(row: Row, text: str) -> str:
    text = " ".join(text.split("\n")).strip()
    return "•" * len(text) if row.mark == "⚿" else text


def _fill(row: Row, text: str, progress: Any) -> Steps:
    """Replace what the text field holds; once typed, wait until all of it is there."""
    if progress == "typed" and _as_typed(row, text).startswith(row.typed):
        return Steps(progress="typed")
    typed = " ".join(text.split("\n")).strip()
    erase = (Press("BSpace") for _ in row.typed)
    return Steps((*erase, *([Type(typed)] if typed else [])), "typed")


def _search(rows: Rows, progress: Any) -> Steps | None:
    """Look for a row that is out of sight: down to the end, then up."""
    if progress != "up" and rows.below:
        return Steps(_move(rows, len(rows.rows) - 1))
    return Steps(_move(rows, 0), "up") if rows.above else None


def _move(rows: Rows, target: int) -> tuple[Step, ...]:
    """From the cursor to a row in sight; from the last in sight one further."""
    here = rows.here or 0
    if target == here:
        key = "Down" if target else "Up"
        return (Press(key), Expect("❯" + rows.rows[here].shown, gone=True, within=5.0))
    key = "Down" if target > here else "Up"
    keys = (Press(key) for _ in range(abs(target - here)))
    return (*keys, Expect("❯" + rows.rows[target].shown, within=5.0))


def _index(rows: Rows, fits: Any) -> int | None:
    return next((at for at, row in enumerate(rows.rows) if fits(row)), None)


def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Up to the top, down to the end, and back to the row where the cursor stood.

    Progress: where we go now, the row to come back to, how many forms came before the top.
    """
    rows = read_answers(screen)
    if rows is None or rows.here is None:
        return None
    way, home, first = progress or ("up", rows.rows[rows.here].label, 0)
    if way == "up" and rows.above:
        return Steps(_move(rows, 0), (way, home, first))
    if way == "up":
        way, first = "down", max(0, len(seen) - 1)
    if way == "down" and rows.below:
        return Steps(_move(rows, len(rows.rows) - 1), (way, home, first))
    target = _index(rows, lambda row: row.label == home)
    if target is None:
        return Steps(_move(rows, 0), ("home", home, first)) if rows.above else None
    if target != rows.here:
        return Steps(_move(rows, target), ("home", home, first))
    return Steps(done=True, form=_whole(prompt, seen[first:]))


def _whole(prompt: PromptForm, seen: Sequence[PromptForm]) -> PromptForm:
    """The prompt with the options of all the windows that were seen."""
    if not prompt.questions:
        options = _join([form.options for form in seen])
        return replace(prompt, options=options, more_options=False)
    question = prompt.questions[0]
    offered = _join([form.questions[0].options for form in seen if form.questions])
    other = any(form.questions[0].other for form in seen if form.questions)
    whole = replace(question, options=offered, other=other)
    return replace(prompt, questions=(whole,), more_options=False)


def _join(windows: Sequence[tuple[T, ...]]) -> tuple[T, ...]:
    """One list out of windows on it, each of which overlaps the one before."""
    whole: tuple[T, ...] = ()
    for window in windows:
        for at in range(len(whole) + 1):
            tail = whole[at:]
            if tail[: len(window)] == window[: len(tail)]:
                whole += window[len(tail) :]
                break
    return whole
