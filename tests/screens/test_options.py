from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawtap_core.screens import numbered_rows, scrolls, single_rows

PLAN = ("Plan", " 1. Create it", " 2. Test it", "")


def drawn(*rows: str, width: int = 60) -> list[tuple[int | None, str, str]]:
    return [(row.number, row.label, row.description) for row in numbered_rows(rows, width)]


def test_number_label_cursor_and_column_are_read() -> None:
    first, second = numbered_rows(("● 1. Allow once", "  2. No (esc)"), 60)
    assert (first.number, first.label, first.selected, first.column) == (1, "Allow once", True, 5)
    assert (second.number, second.label, second.selected) == (2, "No (esc)", False)
    assert (first.first, first.last, first.gap, first.checked) == (0, 0, 1, None)


def test_every_cursor_mark_is_known() -> None:
    for mark in "●❯›▶>":
        assert numbered_rows((f"{mark} 1. Yes", "  2. No"), 60)[0].selected


def test_check_boxes_before_the_numbers_are_read() -> None:
    rows = numbered_rows(("  [✓] 1. Login", "❯ [ ] 2. Search", "  [ ] 3. Other"), 60)
    assert [row.label for row in rows] == ["Login", "Search", "Other"]
    assert [row.checked for row in rows] == [True, False, False]
    assert [row.selected for row in rows] == [False, True, False]


def test_a_label_that_begins_like_a_check_box_is_a_label() -> None:
    rows = numbered_rows(("  1.  One", "  2.  [x]", "● 3.  [ ] x and", "      more"), 60)
    assert [(row.label, row.checked) for row in rows[:2]] == [("One", None), ("[x]", None)]
    assert (rows[2].checked, rows[2].gap, rows[2].column) == (None, 2, rows[0].column)
    assert rows[2].label.startswith("[ ] x and")


def test_check_boxes_are_read() -> None:
    rows = numbered_rows(("  1. [x] Login", "● 2. [ ] Search", "  3. [ ]"), 60)
    assert [(row.label, row.checked) for row in rows] == [
        ("Login", True),
        ("Search", False),
        ("", False),
    ]


def test_descriptions_below_are_distinguished_from_labels() -> None:
    assert drawn("● 1.  SQLite", "      A single file", "  2.  Mongo", "      A store") == [
        (1, "SQLite", "A single file"),
        (2, "Mongo", "A store"),
    ]


def test_a_wrapped_label_is_joined() -> None:
    rows = ("› 1. Yes, and do not ask again for", "     `git push` (p)", "  2. No")
    assert drawn(*rows, width=36) == [
        (1, "Yes, and do not ask again for `git push` (p)", ""),
        (2, "No", ""),
    ]


def test_colours_show_a_description_where_the_width_does_not() -> None:
    rows = ("● 1. A label that fills", "     everything up", "  2. No")

    def colour(row: int, column: int) -> str:
        return "grey" if row == 1 else "white"

    (plain, _), (coloured, _) = numbered_rows(rows, 24), numbered_rows(rows, 24, colour)
    assert plain.label == "A label that fills everything up"
    assert (coloured.label, coloured.description) == ("A label that fills", "everything up")


def test_only_the_last_run_counts() -> None:
    assert drawn(*PLAN, "● 1. Yes", "  2. No") == [(1, "Yes", ""), (2, "No", "")]


def test_a_list_that_scrolled_does_not_begin_at_one() -> None:
    rows = (*PLAN, "▲", "  2. B", "● 3. C", "▼")
    assert [number for number, _, _ in drawn(*rows)] == [2, 3]
    assert scrolls(rows)
    assert not scrolls(PLAN)


def test_numbers_of_two_digits_are_one_list() -> None:
    rows = tuple(f"   {number:>2}. Theme {number}" for number in range(8, 13))
    assert [number for number, _, _ in drawn("▲", *rows)] == [8, 9, 10, 11, 12]


def test_a_list_within_an_option_is_a_part_of_it() -> None:
    rows = ("  1. Yes", "● 2. 1. Add a logout", "     2. And tests")
    assert [number for number, _, _ in drawn(*rows)] == [1, 2]


def test_a_gap_in_the_numbers_ends_the_list() -> None:
    assert [number for number, _, _ in drawn("  1. a", "  3. c", "● 4. d")] == [3, 4]


def test_lists_without_numbers_are_rows_of_one_column() -> None:
    rows = single_rows(("Trust it?", "", "❯ No, exit", "  Yes, I trust it", "", "Enter to confirm"))
    assert [(row.label, row.selected) for row in rows] == [
        ("No, exit", True),
        ("Yes, I trust it", False),
    ]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text(alphabet=" ●❯12.[]xab▲▼─\u4e2d", max_size=16), max_size=15), st.integers(0, 40)
)
def test_junk_never_raises(rows: list[str], width: int) -> None:
    numbered_rows(rows, width)
    single_rows(rows)


@pytest.mark.parametrize(("mark", "before"), [("»", "» "), ("=>", "=> "), ("*", "* ")])
def test_a_cli_may_have_a_mark_of_its_own(mark, before):
    blank = " " * len(before)
    shown = ("Where to?", "", f"  {blank}Staging", f"  {before}Production", "", "enter: next")
    rows = single_rows(shown, mark)
    assert [(row.label, row.selected) for row in rows] == [("Staging", False), ("Production", True)]
    assert rows[0].column == 2 + len(before)
    shown = ("Run it?", f"{blank}1. Yes", f"{before}2. No", "enter: next")
    rows = numbered_rows(shown, 80, mark=mark)
    assert [(row.label, row.selected) for row in rows] == [("Yes", False), ("No", True)]
    assert not any(row.selected for row in single_rows(shown))


def test_a_label_that_had_no_room_beside_its_number_begins_below_it() -> None:
    rows = ("● 1.", "     src/a/long/path/" + "x" * 20, "     y.py", "      About it", "  2.  No")
    assert drawn(*rows, width=41) == [
        (1, "src/a/long/path/" + "x" * 20 + "y.py", "About it"),
        (2, "No", ""),
    ]


def test_what_had_room_beside_a_number_describes_an_option_without_a_label() -> None:
    assert drawn("❯ 1.", "     About it", "  2. No") == [(1, "", "About it"), (2, "No", "")]
