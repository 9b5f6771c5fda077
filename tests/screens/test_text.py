from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawtap_core import Screen
from clawtap_core.screens import cells, rows_of, slug, slugs, split_hint, style_at, unwrap


def test_wide_and_combining_characters_have_their_cells() -> None:
    assert cells("abc") == 3
    assert cells("日本") == 4
    assert cells("e\u0301") == 1


def test_a_line_is_joined_where_the_next_word_would_not_have_fitted() -> None:
    assert unwrap(["one two", "three"], 10) == "one two three"
    assert unwrap(["one two", "three"], 20) == "one two\nthree"
    assert unwrap(["one two", "", "three"], 10) == "one two\n\nthree"


def test_a_word_longer_than_the_line_is_joined_without_a_blank() -> None:
    assert unwrap(["a" * 10, "a" * 4], 10) == "a" * 14
    # The next character would not have fitted.
    assert unwrap(["迁移数据库", "的订单"], 11) == "迁移数据库的订单"
    assert unwrap(["迁移 데이터베", "이스 前"], 13) == "迁移 데이터베 이스 前"


def test_indented_lines_of_code_stand_for_themselves() -> None:
    lines = ["if something:", "    run_it()"]
    assert unwrap(lines, 14, code=True) == "if something:\n    run_it()"


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=8), max_size=30), st.integers(8, 30))
def test_what_was_wrapped_by_words_comes_back(words: list[str], width: int) -> None:
    lines: list[str] = []
    for word in words:
        if lines and cells(lines[-1]) + 1 + cells(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    assert unwrap(lines, width).split() == words or "".join(words) in unwrap(lines, width).replace(
        " ", ""
    )


def test_slugs_are_words_and_hyphens() -> None:
    assert slug("No, don't ask again") == "no-don-t-ask-again"
    assert slug("Ja, für immer") == "ja-für-immer"
    assert slug("…") == "option"


def test_equal_labels_get_slugs_of_their_own() -> None:
    assert slugs(["Yes", "yes!", "No"]) == ("yes", "yes-2", "no")


@pytest.mark.parametrize(
    ("text", "label", "hint"),
    [
        ("No, suggest changes (esc)", "No, suggest changes", "esc"),
        ("Yes, proceed (y)", "Yes, proceed", "y"),
        ("Accept edits (shift+tab)", "Accept edits", "shift+tab"),
        ("Trust folder (proj)", "Trust folder (proj)", None),
        ("(y)", "(y)", None),
    ],
)
def test_a_key_in_brackets_at_the_end_is_a_hint(text: str, label: str, hint: str | None) -> None:
    assert split_hint(text) == (label, hint)


def test_the_style_of_a_cell_is_found() -> None:
    screen = Screen(("\x1b[38;5;2mab\x1b[0mcd",))
    green = style_at(screen, 0, 1)
    assert green is not None
    assert green.fg == "2"
    plain = style_at(screen, 0, 2)
    assert plain is not None
    assert plain.fg is None
    assert style_at(screen, 0, 9) is None
    assert style_at(screen, 3, 0) is None


def test_the_rows_of_a_line_are_counted_as_they_are_broken():
    assert [rows_of(line, 10) for line in ("", "ten  cells", "one word and")] == [1, 1, 2]
    assert rows_of("a" * 25, 10) == rows_of("one " + "a" * 14, 10) == 3
    assert rows_of("三三三 三三三", 10) == 2
