from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawtap_core import Screen
from clawtap_core.screens import (
    Box,
    OptionRow,
    inner_boxes,
    lowest_box,
    numbered_rows,
    select_by_style,
    without_side_boxes,
)

BOX = ("╭────────────╮", "│ Run it?    │", "│ ● 1. Yes   │", "╰────────────╯")


def test_the_rows_of_a_box_are_its_text() -> None:
    box = lowest_box(("above", *BOX, "below"))
    assert box is not None
    assert box.rows == ("Run it?", "● 1. Yes")
    assert (box.top, box.first, box.bottom, box.left, box.width) == (1, 2, 4, 0, 14)
    assert box.whole


def test_the_rows_of_its_list_have_places_on_the_screen() -> None:
    chosen = "│\x1b[47m   1. Yes   \x1b[0m│"
    screen = Screen.from_text(
        "\n".join(("  1. older", BOX[0], BOX[1], chosen, "│   2. No    │", BOX[-1]))
    )
    box = lowest_box(screen.lines)
    assert box is not None
    rows = box.on_screen(numbered_rows(box.rows, box.width - 4))
    assert [(row.first, row.last, row.column) for row in rows] == [(3, 3, 7), (4, 4, 7)]
    marked = select_by_style(screen, rows, lambda style: style.bg is not None)
    assert [row.selected for row in marked] == [True, False]


def test_a_row_of_a_folded_box_takes_several_rows_of_the_screen() -> None:
    box = Box(0, 5, 0, 14, ("Run it?", "1. Yes"), True, 1, height=2)
    (row,) = box.on_screen([OptionRow(1, "Yes", False, first=1, last=1, column=3)])
    assert (row.first, row.last, row.column) == (3, 4, 5)


def test_of_two_boxes_the_lowest_is_taken() -> None:
    other = ("╭───────╮", "│ older │", "╰───────╯")
    box = lowest_box((*other, *BOX))
    assert box is not None
    assert box.top == 3


def test_the_rest_of_an_older_frame_above_does_not_matter() -> None:
    box = lowest_box((*BOX[:3], *BOX))
    assert box is not None
    assert (box.top, box.rows) == (3, ("Run it?", "● 1. Yes"))


@pytest.mark.parametrize("rest", [1, 2, 3])
def test_the_rest_of_a_taller_frame_below_does_not_matter(rest: int) -> None:
    box = lowest_box((*BOX, *BOX[-rest:], "footer"))
    assert box is not None
    assert (box.top, box.bottom, box.rows) == (0, 3, ("Run it?", "● 1. Yes"))
    cut = lowest_box((*BOX[1:], *BOX[-rest:]))
    assert cut is not None
    assert (cut.bottom, cut.rows, cut.whole) == (2, ("Run it?", "● 1. Yes"), False)


def test_a_box_without_its_bottom_border_is_none() -> None:
    assert lowest_box(BOX[:-1]) is None


def test_a_border_that_is_half_painted_closes_nothing() -> None:
    assert lowest_box((*BOX[:3], "╰─────")) is None
    assert lowest_box((*BOX[1:3], "╰─────")) is None


def test_a_box_whose_top_left_the_screen_is_not_whole() -> None:
    box = lowest_box(BOX[1:])
    assert box is not None
    assert not box.whole
    assert box.first == 0


def test_a_box_with_a_broken_side_is_none() -> None:
    assert lowest_box((BOX[0], "  no side", *BOX[2:])) is None


def test_a_box_that_is_wider_than_the_pane_has_no_right_side() -> None:
    box = lowest_box((" ╭──────────", " │ > Connect?", " │ ● 1. Yes", " ╰──────────"))
    assert box is not None
    assert (box.left, box.rows) == (1, ("> Connect?", "● 1. Yes"))


@pytest.mark.parametrize("cols", [5, 9, 13])
def test_a_box_that_a_narrower_pane_folded_is_put_together(cols: int) -> None:
    folded = tuple(
        line[at : at + cols].rstrip() for line in BOX for at in range(0, len(line), cols)
    )
    box = lowest_box(folded)
    assert box is not None
    assert box.rows == ("Run it?", "● 1. Yes")
    assert box.height == -(-len(BOX[0]) // cols)
    assert (box.top, box.bottom) == (0, len(folded) - 1)


def test_boxes_within_rows_are_found_from_the_top() -> None:
    found = inner_boxes(("Tool", *BOX, "between", "┌───┐", "│ x │", "└───┘", "Question?"))
    assert [box.rows for box in found] == [("Run it?", "● 1. Yes"), ("x",)]


def test_a_preview_to_the_right_is_taken_away() -> None:
    rows = (
        "Theme        Preview",
        "▲           ┌───┐",
        "● 1. Dark   │ a │",
        "  2. Light  └───┘",
        "▼",
    )
    plain = without_side_boxes(rows)
    assert plain == ("Theme        Preview", "▲", "● 1. Dark", "  2. Light", "▼")


def test_a_preview_that_says_how_many_lines_it_leaves_out_is_taken_away() -> None:
    rows = (
        "❯ 1. Red         ┌────────────────────────┐",
        "  2. Green       │ +--+                   │",
        "  3. Blue        ├─── ✂ ─── 2 lines hidden ┤",
        "  4. Yellow",
        "                 └────────────────────────┘",
    )
    plain = without_side_boxes(rows)
    assert plain == ("❯ 1. Red", "  2. Green", "  3. Blue", "  4. Yellow", "")


def test_a_box_that_does_not_close_is_no_preview() -> None:
    rows = ("rm -rf /    ┌───┐", "ls", "text        │ a")
    assert without_side_boxes(rows) == rows


def test_a_box_within_another_is_no_preview() -> None:
    rows = ("│ rm    ╭──╮ │", "│       │ls│ │", "│       ╰──╯ │")
    assert without_side_boxes(rows) == rows


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(alphabet="╭╮╰╯│─┌┐└┘ a●1.▲", max_size=20), max_size=15))
def test_junk_never_raises(lines: list[str]) -> None:
    lowest_box(lines)
    inner_boxes(lines)
    without_side_boxes(lines)
