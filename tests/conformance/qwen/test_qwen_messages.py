"""Messages to Qwen Code: each reaches the model once, as it was written."""

from __future__ import annotations

import pytest
from clawtap_qwen.live import turns
from message_scenarios import (
    TEXTS,
    answers_no_prompt,
    arrives_once,
    leaves_a_draft_alone,
    refuses_what_ends_the_cli,
    waits_for_the_turn,
)

QWEN_TEXTS = {**TEXTS, "a command at the end": "what comes of /help", "alone": "first\n/model"}


@pytest.mark.parametrize("text", QWEN_TEXTS.values(), ids=QWEN_TEXTS.keys())
def test_a_message_reaches_the_model_once_as_it_was_written(talk, text):
    arrives_once(talk, text)


@pytest.mark.parametrize("text", ["exit", ":q!"])
def test_a_message_that_would_end_the_cli_is_refused(talk, text):
    refuses_what_ends_the_cli(talk, text)


def test_a_command_of_the_cli_runs(talk):
    talk.play()
    assert talk.post("message", message="/about").status == 200
    talk.seat.see("Session ID")
    talk.idle()
    assert not talk.log.main()


def test_a_slash_alone_is_refused(talk):
    # It opens the list of commands, of which Enter would take the first.
    talk.play()
    reply = talk.post("message", message="/")
    assert (reply.status, reply.body["code"]) == (422, "message_not_typed"), reply
    talk.say()
    talk.finish()


def test_the_first_message_is_part_of_the_command(own):
    talk = own(message="a first message")
    assert talk.log.wait(lambda log: log.times_said("a first message") == 1, 120)
    talk.idle(60)


def test_a_message_to_a_busy_session_waits_for_its_turn(talk):
    waits_for_the_turn(talk)


def test_nothing_is_typed_over_a_draft_of_the_desk(talk):
    leaves_a_draft_alone(talk)


def test_no_message_answers_an_open_prompt(talk):
    answers_no_prompt(talk, turns)
