"""Spinners are captured less often; what is more than a spinner, at once."""

from __future__ import annotations

from clawtap_core.model import Screen
from clawtap_core.terminal.capture_rate import FAST, SLOW, CaptureRate


def screen(*rows: str) -> Screen:
    return Screen(rows, 80, 24)


def spinning(turns: int = 20) -> CaptureRate:
    pace, shown = CaptureRate(), screen("text", "⠋ Working (0s)", "composer")
    for turn in range(turns):
        now = screen("text", f"⠋ Working ({turn}s)", "composer")
        pace.add_output(30)
        pace.captured(shown, now)
        shown = now
    return pace


def test_a_pane_that_only_spins_is_captured_less_often():
    assert spinning(3).interval(30) == FAST
    assert spinning().interval(30) == SLOW


def test_more_output_than_a_spinner_draws_is_looked_at_at_once():
    pace = spinning()
    pace.add_output(400)
    assert pace.interval(400) == FAST
    pace.add_output(30)
    assert pace.interval(30) == SLOW


def test_a_screen_of_which_more_changed_is_followed_closely_again():
    pace = spinning()
    pace.captured(screen("text", "⠋ Working (9s)", "composer"), screen("Allow?", "1. Yes", "2. No"))
    assert pace.interval(30) == FAST


def test_a_resized_screen_is_followed_closely_again():
    pace = spinning()
    pace.captured(screen("text"), screen("text", ""))
    assert pace.interval(30) == FAST
