"""Rows that only their style tells apart."""

from __future__ import annotations

from clawtap_core import Screen
from clawtap_core.model import Style
from clawtap_core.screens import button_row, panel_end, select_by_style, single_rows

BUTTONS = "  \x1b[48;5;4m Allow once \x1b[0m  Allow always  \x1b[0m Reject"


def test_the_button_with_a_background_of_its_own_is_selected() -> None:
    buttons = button_row(Screen((BUTTONS,)), 0)
    assert [(button.label, button.selected) for button in buttons] == [
        ("Allow once", True),
        ("Allow always", False),
        ("Reject", False),
    ]
    assert [button.column for button in buttons] == [3, 16, 31]


def test_of_two_buttons_only_the_adapter_knows_which_style_means_the_cursor() -> None:
    screen = Screen(("\x1b[7mConfirm\x1b[0m  Cancel",))

    def inverse(style: Style) -> bool:
        return style.inverse

    assert [button.selected for button in button_row(screen, 0)] == [False, False]
    assert [button.selected for button in button_row(screen, 0, inverse)] == [True, False]


def test_no_row_is_selected_where_two_stand_out_or_none_does() -> None:
    plain = Screen(("> one", "  two", "  three"))
    rows = single_rows(plain.lines)
    assert not any(row.selected for row in select_by_style(plain, rows))
    both = Screen(("> \x1b[7mone\x1b[0m", "  \x1b[7mtwo\x1b[0m", "  three"))
    assert not any(row.selected for row in select_by_style(both, rows, lambda style: style.inverse))
    assert not select_by_style(plain, ())


def test_a_row_that_the_screen_does_not_have_is_never_selected() -> None:
    rows = single_rows(("> one", "  two", "  three"))
    assert not any(row.selected for row in select_by_style(Screen(("",)), rows))


SIDE_BAR = "\x1b[48;5;0m  \x1b[48;5;1m┃ \x1b[7mYes\x1b[27m  No \x1b[48;5;0m  \x1b[48;5;1m Files  2"


def test_a_panel_ends_where_the_background_of_the_row_begins_again() -> None:
    screen = Screen((SIDE_BAR,))
    end = panel_end(screen, 0, 2)
    assert screen.lines[0][:end] == "  ┃ Yes  No "
    assert panel_end(Screen(("  ┃ no colours here",)), 0, 2) == len("  ┃ no colours here")


def test_buttons_are_looked_for_in_the_panel_only() -> None:
    screen = Screen((SIDE_BAR,))
    end = panel_end(screen, 0, 2)
    buttons = button_row(screen, 0, lambda style: style.inverse, start=3, end=end)
    assert [(button.label, button.selected) for button in buttons] == [("Yes", True), ("No", False)]
