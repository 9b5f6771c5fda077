"""Interrupting GitHub Copilot CLI, switching its modes, and panes of every kind."""

from __future__ import annotations

import pytest
from clawtap_copilot.live import turns
from control_scenarios import (
    interrupts,
    interrupts_before_the_answer,
    interrupts_beside_a_draft,
    interrupts_nothing_while_idle,
    is_adopted,
    is_answered_in_panes,
    keeps_its_mode_while_it_asks,
    refuses_an_interrupt_behind_the_help,
    switches_modes,
)
from patience import until

from clawtap_core.testing.scripted.turns import call, turn

# An agent in the background, whose turns are those "to" its prompt.
SCOUT = call(
    "task",
    agent_type="general-purpose",
    mode="background",
    name="scout",
    description="look around",
    prompt="SUBTASK: look around",
)


def test_a_turn_is_interrupted(talk):
    interrupts(talk, shows="cancelled by user")


def test_a_message_is_interrupted_before_its_answer(talk):
    interrupts_before_the_answer(talk)


def test_an_interrupt_leaves_the_draft_of_the_desk(talk):
    interrupts_beside_a_draft(talk)


def test_an_interrupt_behind_the_help_is_refused(talk):
    refuses_an_interrupt_behind_the_help(talk, shows="esc close")


def test_an_agent_in_the_background_is_stopped(testbed, own):
    if testbed.version == "1.0.64":
        pytest.skip("no key stops it there")
    talk = own()
    talk.idle(90)
    talk.play(turn(SCOUT), {"parts": [{"text": "seen it all"}], "to": "SUBTASK", "delay": 90})
    talk.say()
    talk.seat.see("Waiting for background agents")
    talk.state("busy")
    assert talk.post("interrupt").status == 200, talk.seat.text()
    talk.idle()


def test_nothing_is_interrupted_while_idle(talk):
    interrupts_nothing_while_idle(talk)


def test_the_modes_are_switched(talk):
    switches_modes(talk, ("plan", "autopilot", "interactive"))


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    keeps_its_mode_while_it_asks(talk, turns, "plan")


def test_a_session_adopted_at_the_desk_is_answered(testbed):
    is_adopted(testbed, turns, "copilot", shows="/ commands")


def test_a_small_and_a_large_pane_are_answered(testbed):
    is_answered_in_panes(testbed, turns, (60, 20), (170, 45), seconds=90)


def test_calls_of_agents_that_are_stopped_are_cancelled_in_the_conversation(testbed, own):
    if testbed.version == "1.0.64":
        pytest.skip("no key stops it there")
    talk = own()
    talk.idle(90)
    command = {**turns.shell("touch begun.txt; sleep 100"), "to": "SUBTASK"}
    prompt = talk.do(turn(SCOUT), command)
    assert talk.approve(prompt).status == 200
    talk.seat.see("Waiting for background agents")
    assert talk.post("interrupt").status == 200, talk.seat.text()
    talk.idle()

    def calls():
        messages = talk.get("/messages").body["messages"]
        blocks = [block for message in messages for block in message["content"]]
        return {each["toolName"]: each["status"] for each in blocks if each["type"] == "tool_use"}

    until(lambda: calls() == {"task": "success", "bash": "cancelled"}, 10)
