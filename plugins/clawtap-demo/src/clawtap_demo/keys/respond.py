"""Answering: the cursor is moved from where it is, and read back before Enter."""

from __future__ import annotations

from typing import Any

from clawtap_core import Expect, Press, PromptForm, Response, Screen, Steps, Type, hookimpl
from clawtap_demo.keys.moves import find_row, move_to
from clawtap_demo.screen.prompt import read_rows
from clawtap_demo.screen.rows import Row, Rows

_ENTER = Steps((Press("Enter", deciding=True),), done=True)


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of an answer."""
    rows = read_rows(screen)
    if rows is None or rows.selected is None:
        return None
    labels, text = _read_response(prompt, response)
    if not labels and not text:
        return Steps((Press("Escape", deciding=True),), done=True)
    if prompt.questions and prompt.questions[0].multi_select:
        return _select_many(rows, labels, text, progress)
    return _choose(rows, labels, text, progress)


def _read_response(prompt: PromptForm, response: Response) -> tuple[set[str], str]:
    """Return the labels to choose and the text to type; neither means Escape."""
    if prompt.questions:
        answers = response.labels()
        offered = {option.label for option in prompt.questions[0].options}
        return set(answers) & offered, ", ".join(word for word in answers if word not in offered)
    if option := prompt.option(response.selected_option or ""):
        return {option.label}, ""
    return set(), response.text_value or (response.reason or "" if prompt.text_input else "")


def _choose(rows: Rows, labels: set[str], text: str, progress: Any) -> Steps | None:
    target = find_row(rows, lambda row: row.takes_text if text else row.label in labels)
    if target is None:
        return _search(rows, progress)
    if target != rows.selected:
        return Steps(move_to(rows, target), progress)
    row = rows.rows[target]
    if text and row.typed != _as_typed(row, text):
        return _fill(row, text, progress)
    return _ENTER


def _select_many(rows: Rows, labels: set[str], text: str, progress: Any) -> Steps | None:
    # Rows are ticked and unticked from the top down, so that a list that scrolls is passed once.
    if progress is None and rows.above:
        return Steps(move_to(rows, 0))

    def differs(row: Row) -> bool:
        if row.takes_text:
            return row.typed != _as_typed(row, text)
        return row.checked != (row.label in labels)

    target = find_row(rows, differs)
    if target is None:
        return Steps(move_to(rows, len(rows.rows) - 1), "down") if rows.below else _ENTER
    if target != rows.selected:
        return Steps(move_to(rows, target), "down")
    row = rows.rows[target]
    if row.takes_text:
        return _fill(row, text, progress)
    before, after = ("[x]", "[ ]") if row.checked else ("[ ]", "[x]")
    toggled = row.shown.replace(before, after, 1)
    return Steps((Press("Space"), Expect("❯" + toggled, within=5.0)), "down")


def _in_one_line(text: str) -> str:
    return " ".join(text.split("\n")).strip()


def _as_typed(row: Row, text: str) -> str:
    text = _in_one_line(text)
    return "•" * len(text) if row.mark == "⚿" else text


def _fill(row: Row, text: str, progress: Any) -> Steps:
    # Once typed, the text is waited for until all of it is there.
    if progress == "typed" and _as_typed(row, text).startswith(row.typed):
        return Steps(progress="typed")
    typed = _in_one_line(text)
    erase = (Press("BSpace") for _ in row.typed)
    return Steps((*erase, *([Type(typed)] if typed else [])), "typed")


def _search(rows: Rows, progress: Any) -> Steps | None:
    # The list is searched down to its end, then up.
    if progress != "up" and rows.below:
        return Steps(move_to(rows, len(rows.rows) - 1))
    return Steps(move_to(rows, 0), "up") if rows.above else None
