"""Screens as values: plain text, spans, sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawtap_core import Press, Screen, Span, Style, is_key
from clawtap_core.model.ansi import plain


def test_escapes_are_not_text():
    screen = Screen.from_text(
        "\x1b[1;32mgreen\x1b[0m  \n\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n"
    )
    assert screen.lines == ("green", "link")
    assert screen.text == "green\nlink"


@pytest.mark.parametrize(
    ("code", "style"),
    [
        ("1", Style(bold=True)),
        ("31", Style(fg="1")),
        ("92", Style(fg="10")),
        ("44", Style(bg="4")),
        ("101", Style(bg="9")),
        ("38;5;208", Style(fg="208")),
        ("48;2;1;2;255", Style(bg="#0102ff")),
        ("3;4;7;9", Style(italic=True, underline=True, inverse=True, strike=True)),
        ("1;2;22", Style()),
        ("31;39", Style()),
        ("38;5", Style()),
        ("38;2;1", Style()),
    ],
)
def test_a_style_is_read_from_its_code(code, style):
    assert Screen.from_text(f"\x1b[{code}mx").spans(0) == (Span("x", style),)


def test_spans_follow_one_another():
    spans = Screen.from_text("a\x1b[31mb\x1b[mc").spans(0)
    assert [(span.text, span.style.fg) for span in spans] == [("a", None), ("b", "1"), ("c", None)]


def test_a_colour_goes_on_into_the_next_row_as_tmux_writes_it():
    screen = Screen.from_text("\x1b[31mred\nstill red\x1b[39m not")
    assert [(span.text, span.style.fg) for span in screen.spans(1)] == [
        ("still red", "1"),
        (" not", None),
    ]


@given(st.text())
def test_no_text_breaks_the_reading(text):
    screen = Screen.from_text(text)
    for row in range(len(screen.captured)):
        assert "".join(span.text for span in screen.spans(row)) is not None
    assert "\x1b" not in plain(text)


@pytest.mark.parametrize("key", ["Enter", "Escape", "C-c", "M-x", "S-Tab", "BTab", "F12", "y", "1"])
def test_keys_that_tmux_knows(key):
    assert is_key(key)
    assert Press(key).key == key


@pytest.mark.parametrize("key", ["", "enter", "Enter ; kill-server", "ab", "\n", "F13", "é"])
def test_what_is_no_key_cannot_be_pressed(key):
    with pytest.raises(ValueError, match="not a key"):
        Press(key)
