"""What several hooks read on one screen is parsed once."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import pytest

from clawtap_core.model import Screen
from clawtap_core.screens import parsed_once


def test_each_function_reads_each_screen_once():
    calls = []

    @parsed_once
    def first_row(screen):
        calls.append("first")
        return screen.lines[0]

    @parsed_once
    def last_row(screen):
        calls.append("last")
        return screen.lines[-1]

    screen = Screen.from_text("a\nb")
    assert [first_row(screen), last_row(screen), first_row(screen), last_row(screen)] == list(
        "abab"
    )
    assert calls == ["first", "last"]
    assert first_row(replace(screen, captured=("c",))) == "c"


def test_none_is_a_result_and_an_error_is_none():
    outcomes = iter([None])

    @parsed_once
    def read(screen):
        return next(outcomes)

    screen = Screen.from_text("a")
    assert read(screen) is read(screen) is None
    for _ in range(2):
        with pytest.raises(StopIteration):
            read(Screen.from_text("b"))


def test_what_was_read_is_neither_compared_nor_kept_longer_than_its_screen():
    class Reading:
        pass

    @parsed_once
    def read(screen):
        return Reading()

    screen = Screen.from_text("a")
    kept = weakref.ref(read(screen))
    assert screen == Screen.from_text("a")
    del screen
    gc.collect()
    assert kept() is None
