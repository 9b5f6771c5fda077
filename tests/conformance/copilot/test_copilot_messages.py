"""Messages to GitHub Copilot CLI: each reaches the model once, as it was written."""

from __future__ import annotations

import pytest
from clawtap_copilot.live import turns
from message_scenarios import (
    answers_no_prompt,
    arrives_once,
    leaves_a_draft_alone,
    refuses_what_ends_the_cli,
    waits_for_the_turn,
)

from clawtap_core.testing.scripted.turns import call, turn

TEXTS = {
    "one line": "hello, this is one line",
    "two lines": "the first line\nand the second",
    "eight lines": "\n".join(f"line {number} of a longer text" for number in range(8)),
    "a folded paste": "\n".join(f"line {number} of a long text" for number in range(40)),
    "a long line": "a word and another one, " * 20 + "the end",
    "other letters": "Grüße, 世界 and 👍",
    "like a command": "/home/me is my folder",
    "a question mark": "?what is this",
    "a file at the end": "look at @README.md",
    "a backslash at the end": "a path ends with \\",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_message_reaches_the_model_once_as_it_was_written(talk, text):
    arrives_once(talk, text)


def test_a_message_that_would_run_in_a_shell_is_refused(talk):
    reply = talk.post("message", message="!touch shell.txt")
    assert reply.status == 422, reply
    talk.play()
    following = talk.say()
    talk.finish()
    assert talk.log.times_said(following) == 1
    assert not (talk.cwd / "shell.txt").exists()


def test_a_message_with_what_the_composer_does_not_show_is_refused(talk):
    reply = talk.post("message", message="please look\n────────\n├── src")
    assert reply.status == 422, reply
    talk.play()
    text = talk.say("and this is shown")
    talk.finish()
    assert talk.log.times_said(text) == 1


@pytest.mark.parametrize("text", ["exit", "Quit"])
def test_a_message_that_would_end_the_cli_is_refused(talk, text):
    refuses_what_ends_the_cli(talk, text)


@pytest.mark.parametrize("text", ["/unknown words", "/theme"])
def test_a_message_like_a_command_reaches_the_model_or_is_refused(testbed, talk, text):
    talk.play()
    if testbed.version == "1.0.64":
        reply = talk.post("message", message=text)
        assert reply.status in (202, 422), (reply, talk.seat.text())
        if reply.status == 202:  # it waited for a moment
            talk.events.wait("session_error", where=lambda data: text in data["error"])
        text = talk.say()
    else:
        talk.say(text)
    talk.finish()
    assert talk.log.times_said(text) == 1


def test_the_first_message_is_typed_when_the_cli_is_ready(own):
    talk = own(message="a first message")
    assert talk.log.wait(lambda log: log.times_said("a first message") == 1, 120)
    talk.idle(60)


def test_a_message_to_a_busy_session_waits_for_its_turn(talk):
    waits_for_the_turn(talk)


def test_a_message_goes_beside_a_command_that_the_agent_leaves_running(testbed, own):
    if testbed.version == "1.0.64":
        pytest.skip("it shows that as its own work")
    talk = own()
    talk.idle(90)
    left = call("bash", command="sleep 90", description="Serves", mode="async", shellId="left")
    prompt = talk.do(turn(left))
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert "Waiting for background shells" in talk.seat.text()
    assert talk.post("interrupt").status == 409
    talk.play({"parts": [{"text": "working on it"}], "hold": True})
    text = talk.say("and another thing")
    talk.state("busy")
    talk.model.release()
    talk.idle()
    assert talk.log.times_said(text) == 1
    assert "Waiting for background shells" in talk.seat.text()


def test_nothing_is_typed_over_a_draft_of_the_desk(talk):
    leaves_a_draft_alone(talk)


def test_no_message_answers_an_open_prompt(talk):
    answers_no_prompt(talk, turns)
