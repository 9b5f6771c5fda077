"""Interrupting Qwen Code, switching its modes, trusting a folder, and sessions of the desk."""

from __future__ import annotations

import pytest
from clawtap_qwen.live import turns
from control_scenarios import (
    interrupts,
    interrupts_nothing_while_idle,
    is_adopted,
    is_answered_in_panes,
    keeps_its_mode_while_it_asks,
    refuses_an_interrupt_beside_a_draft,
    sends_the_next_message,
    switches_modes,
)


def test_a_turn_is_interrupted_and_the_next_message_is_sent(talk):
    interrupts(talk, shows="Request cancelled")
    sends_the_next_message(talk)


@pytest.mark.parametrize("draft", ["half a text", "/appr"])
def test_what_the_desk_writes_is_in_the_way_of_an_interrupt_and_stays(talk, draft):
    refuses_an_interrupt_beside_a_draft(talk, draft)


def test_nothing_is_interrupted_while_idle(talk):
    interrupts_nothing_while_idle(talk)


def test_the_mode_is_switched_and_switched_back(talk):
    switches_modes(talk, ("plan", "auto-edit", "default"))


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    keeps_its_mode_while_it_asks(talk, turns, "auto-edit")


def test_a_folder_is_trusted_once(testbed, own):
    with testbed.settings(ask_trust=True):
        talk = own()
        prompt = talk.prompt(60)
        assert (prompt["type"], prompt["title"]) == ("permission", "Do you trust this folder?")
        trust = prompt["options"][0]["label"]
        assert talk.approve(prompt, option=trust).status == 200
        talk.idle(60)
        assert str(talk.cwd) in (testbed.home / ".qwen" / "trustedFolders.json").read_text()


def test_a_session_adopted_at_the_desk_is_answered(testbed):
    is_adopted(testbed, turns, "qwen", shows="Type your message")


def test_a_low_and_a_wide_pane_are_answered(testbed):
    is_answered_in_panes(testbed, turns, (60, 16), (170, 45))
