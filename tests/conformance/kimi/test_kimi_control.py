"""Interrupting Kimi Code, switching its modes, and sessions of the desk."""

from __future__ import annotations

import pytest
from clawtap_kimi.live import turns
from control_scenarios import (
    interrupts,
    interrupts_nothing_while_idle,
    is_adopted,
    is_answered_in_panes,
    keeps_its_mode_while_it_asks,
    sends_the_next_message,
    switches_modes,
)


def test_a_turn_is_interrupted_and_the_next_message_is_sent(talk):
    interrupts(talk, shows="Interrupted by user")
    sends_the_next_message(talk)


def test_a_command_that_runs_is_interrupted(talk):
    prompt = talk.do(turns.shell("sleep 60"))
    assert talk.approve(prompt).status == 200
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()


def test_nothing_is_interrupted_while_idle(talk):
    interrupts_nothing_while_idle(talk)


def test_plan_mode_is_switched_on_and_off(talk):
    switches_modes(talk, ("plan", "manual"))


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    keeps_its_mode_while_it_asks(talk, turns, "plan")


@pytest.mark.parametrize("mode", ["yolo", "auto"])
def test_a_session_is_started_in_a_mode_that_asks_less(own, mode):
    talk = own(permissionMode=mode)
    talk.idle(60)
    talk.until(lambda now: now["mode"] == mode)
    talk.play(turns.shell("touch unasked.txt"))
    talk.say()
    talk.finish()
    assert (talk.cwd / "unasked.txt").exists()


def test_a_session_adopted_at_the_desk_is_answered(testbed):
    is_adopted(testbed, turns, "kimi", shows="context:")


def test_the_layout_for_the_full_screen_is_answered(testbed):
    if not testbed.asks_trust:
        pytest.skip("this version has no such layout")
    cwd = testbed.project()
    env = {**testbed.env, "KIMI_CODE_TUI_FULL_SCREEN": "1"}
    seat = testbed.desk.open(("kimi",), cwd, env)
    seat.see("context:", seconds=60)
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    prompt = talk.do(turns.shell("touch full.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    prompt = talk.do(turns.ask(turns.choice("Which parts?", "API", "UI", multi=True)))
    assert talk.answer(prompt, {"0": ["UI", "the docs"]}).status == 200
    assert "UI, the docs" in str(talk.outputs())
    talk.finish()
    talk.leave()
    seat.close()


def test_a_low_and_a_wide_pane_are_answered(testbed):
    is_answered_in_panes(testbed, turns, (60, 16), (170, 45))
