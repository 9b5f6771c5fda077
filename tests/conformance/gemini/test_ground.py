"""The CLI itself, by hand and without ClawTap: what the other scenarios stand on."""

from __future__ import annotations

import time

import pytest
from clawtap_gemini.live import turns


@pytest.fixture(scope="module")
def seat(testbed):
    """A CLI that somebody at the desk started."""
    seat = testbed.desk.open(("gemini",), testbed.project(), testbed.env)
    seat.see("Type your message", seconds=60)
    yield seat
    seat.close()


def test_the_model_hears_a_message_once_and_what_came_of_a_digit(testbed, seat):
    testbed.model.play(turns.shell("touch digit.txt"), "digit done")
    seat.say("press a digit")
    seat.see("touch digit.txt", "Allow once")
    seat.press("1")
    seat.see("digit done")
    assert testbed.model.log.times_said("press a digit") == 1
    assert len(testbed.model.log.function_responses()) == 1


def test_a_chat_message_approves_an_open_prompt(testbed, seat):
    # The danger that rule 11 is about: were it gone, the rule would be tested by nothing.
    testbed.model.play(turns.shell("touch danger.txt"), "danger done")
    seat.say("be careful")
    seat.see("touch danger.txt", "Allow once")
    seat.type("no please")
    time.sleep(0.2)  # as a person does; an Enter within 30 ms is taken for a newline
    seat.press("Enter")
    seat.see("danger done")
    assert len(testbed.model.log.function_responses()) == 1
