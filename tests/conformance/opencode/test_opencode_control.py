"""Interrupting OpenCode, and switching between building and planning."""

from __future__ import annotations

import time

import pytest
from clawtap_opencode.live import turns
from control_scenarios import (
    interrupts,
    interrupts_nothing_while_idle,
    is_adopted,
    is_answered_in_panes,
    keeps_its_mode_while_it_asks,
    refuses_an_interrupt_behind_the_help,
    switches_modes,
)


def test_a_turn_is_interrupted(talk):
    interrupts(talk, shows="interrupted")


def test_an_interrupt_behind_the_help_is_refused(talk):
    refuses_an_interrupt_behind_the_help(talk, shows="Press ctrl+p")


@pytest.mark.parametrize("draft", ["/mo", "@"])
def test_no_interrupt_closes_a_list_that_the_desk_has_open_at_the_composer(talk, draft):
    talk.begin({"parts": [{"text": "too late"}]}, seconds=20.0)
    talk.seat.type(draft)
    time.sleep(1)  # for the list
    reply = talk.post("interrupt")
    assert reply.status == 422, reply
    assert "something else in the terminal would take the key" in reply.body["error"]
    time.sleep(1)  # for a key to show
    talk.seat.see(f"┃  {draft}")
    talk.seat.press("Escape", *["BSpace"] * len(draft))
    talk.state("busy")
    assert talk.post("interrupt").status == 200, talk.seat.text()
    talk.idle()


def test_nothing_is_interrupted_while_idle(talk):
    interrupts_nothing_while_idle(talk)


def test_the_mode_is_switched_and_switched_back(talk):
    switches_modes(talk, ("plan", "build"))


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    keeps_its_mode_while_it_asks(talk, turns, "plan")


def test_a_session_adopted_at_the_desk_is_answered(testbed):
    is_adopted(testbed, turns, "opencode", shows="ctrl+p commands")


def test_a_low_and_a_wide_pane_are_answered(testbed):
    is_answered_in_panes(testbed, turns, (60, 16), (170, 45))
