"""Messages to OpenCode: each reaches the model once, as it was written."""

from __future__ import annotations

import pytest
from clawtap_opencode.live import turns
from message_scenarios import (
    TEXTS,
    answers_no_prompt,
    arrives_once,
    leaves_a_draft_alone,
    refuses_what_ends_the_cli,
    waits_for_the_turn,
)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_message_reaches_the_model_once_as_it_was_written(talk, text):
    arrives_once(talk, text)


def test_an_accent_beside_its_letter_arrives_as_one_with_it(talk):
    talk.play()
    talk.say("cafe\u0301 man\u0303ana")
    talk.finish()
    assert talk.log.times_said("caf\u00e9 ma\u00f1ana") == 1


@pytest.mark.parametrize("text", ["press 1\ufe0f\u20e3 now", "x\u0301 alone", "\u0e2a\u0e35"])
def test_nothing_of_a_message_that_is_refused_goes_with_the_next(testbed, talk, text):
    talk.play()
    talk.post("message", message=text)
    talk.until(lambda now: not now["queued"], testbed.patience)
    talk.idle()
    following = talk.say()
    talk.finish()
    assert [said.strip() for said in talk.log.user_texts()] == [following]


@pytest.mark.parametrize("text", ["exit", ":q"])
def test_a_message_that_would_end_the_cli_is_refused(talk, text):
    refuses_what_ends_the_cli(talk, text)


def test_the_first_message_is_part_of_the_command(own):
    talk = own(message="a first message")
    assert talk.log.wait(lambda log: log.times_said("a first message") == 1, 120)
    talk.idle(60)


def test_a_first_message_that_mentions_a_file_arrives(own, testbed):
    cwd = testbed.project()
    (cwd / "notes.txt").write_text("heron")
    talk = own(cwd=cwd, message="look at @notes.txt")
    assert talk.log.wait(lambda log: log.times_said("look at @notes.txt") == 1, 120)
    talk.idle(60)


def test_a_first_message_that_would_end_the_cli_is_refused(own):
    talk = own(message="exit")
    assert talk.events.wait("session_error", seconds=60).data["code"] == "message_not_typed"
    talk.idle(60)


def test_commands_of_the_user_and_of_the_cli_are_run(own, testbed):
    cwd = testbed.project()
    commands = cwd / ".opencode" / "command"
    (commands / "deep").mkdir(parents=True)
    (commands / "mine.md").write_text("done by mine: $ARGUMENTS")
    (commands / "deep" / "mine.md").write_text("done by the deep one")
    talk = own(cwd=cwd)
    talk.idle(90)
    runs = {
        "/mine": "done by mine:",
        "/mine a heron": "done by mine: a heron",
        "/deep/mine": "done by the deep one",
        "/init": "AGENTS.md",
        "/no/command": "/no/command",
    }
    for text, heard in runs.items():
        talk.play()
        talk.say(text)
        assert talk.log.wait(lambda log, heard=heard: heard in str(log.user_texts()), 60), text
        talk.finish()
    talk.say("/clear")
    talk.seat.see("Ask anything")
    talk.idle()


@pytest.mark.parametrize("text", ["/compact", "/redo", "/exit", "/editor"])
def test_a_command_that_does_not_run_now_is_refused_and_leaves_nothing(own, text):
    talk = own()
    talk.idle(90)
    talk.play()
    talk.post("message", message=text)
    assert talk.events.wait("session_error", seconds=60).data["code"] == "message_not_typed"
    following = talk.say()
    talk.finish()
    assert [said.strip() for said in talk.log.user_texts()] == [following]


def test_a_message_to_a_busy_session_waits_for_its_turn(talk):
    waits_for_the_turn(talk)


def test_nothing_is_typed_over_a_draft_of_the_desk(talk):
    leaves_a_draft_alone(talk)


def test_no_message_answers_an_open_prompt(talk):
    answers_no_prompt(talk, turns)
