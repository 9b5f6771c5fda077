"""Messages to Kimi Code: each reaches the model once, as it was written."""

from __future__ import annotations

import pytest
from clawtap_kimi.live import turns
from message_scenarios import (
    TEXTS,
    answers_no_prompt,
    arrives_once,
    leaves_a_draft_alone,
    waits_for_the_turn,
)

OWN_TEXTS = {
    "twenty lines": "\n".join(f"line {number} with 👍" for number in range(20)),
    "a very long line": "a word and 👍 another one, " * 60 + "the end",
    "a path at the end": "look at /etc/hosts",
    "a path in the middle": "look at /etc/hosts and tell me what it is",
    "lines that end in a backslash": "first \\\nsecond \\\nthird",
}


@pytest.mark.parametrize("text", [*TEXTS.values(), *OWN_TEXTS.values()], ids=[*TEXTS, *OWN_TEXTS])
def test_a_message_reaches_the_model_once_as_it_was_written(talk, text):
    arrives_once(talk, text)


def test_the_first_message_is_typed_when_the_cli_is_ready(own):
    talk = own(message="a first message")
    assert talk.log.wait(lambda log: log.times_said("a first message") == 1, 120)
    talk.idle(60)


def test_a_message_to_a_busy_session_waits_for_its_turn(talk):
    waits_for_the_turn(talk)


def test_nothing_is_typed_over_a_draft_of_the_desk(talk):
    leaves_a_draft_alone(talk)


def test_no_message_answers_an_open_prompt(talk):
    answers_no_prompt(talk, turns)


def test_a_command_of_the_cli_is_run(talk):
    talk.play()
    assert talk.post("message", message="/status").status in (200, 202)
    talk.seat.see("Permissions")
    talk.idle()
    assert not talk.log.main()
