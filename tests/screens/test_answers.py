"""An answer below its mark, or without its first rows, which have left the screen."""

from __future__ import annotations

import re

from clawtap_core.model import Previous, SeenState, SessionState
from clawtap_core.screens import VisibleAnswer, last_answer

MARK = re.compile(r"\* (?P<text>.*)")
WRITING = Previous(SeenState(SessionState.BUSY, streaming="one"), 0.1)
WAITING = Previous(SeenState(SessionState.BUSY), 0.1)


def read(*rows: str, previous: Previous | None = None) -> VisibleAnswer | None:
    return last_answer(rows, MARK.fullmatch, "  ", previous)


def test_the_rows_from_the_last_mark_are_the_answer() -> None:
    rows = ("* first", "> go on", "* one", "", "  two", "    three", "")
    assert read(*rows) == VisibleAnswer("one\n\ntwo\n  three", 2)


def test_what_has_neither_mark_nor_margin_is_no_answer() -> None:
    assert read("* one", "> go on") is None
    assert read("> go on", "  with it", previous=WRITING) is None


def test_only_an_answer_that_was_being_written_goes_on_without_its_mark() -> None:
    assert read("", "  two", "  three", previous=WRITING) == VisibleAnswer("two\nthree", None)
    assert read("  two", "  three", previous=WAITING) is None
    assert read("  two", "  three") is None
