"""Messages to GitHub Copilot CLI: each reaches the model once, as it was written."""

from __future__ import annotations

import pytest
from clawtap_copilot.live import turns

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
    talk.play()
    talk.say(text)
    assert talk.log.wait(lambda log: log.main())
    talk.finish()
    assert talk.log.times_said(text.strip()) == 1


def test_a_message_that_would_run_in_a_shell_is_refused(talk):
    reply = talk.post("message", message="!touch shell.txt")
    assert reply.status == 422, reply
    talk.play()
    following = talk.say()
    talk.finish()
    assert talk.log.times_said(following) == 1
    assert not (talk.cwd / "shell.txt").exists()


def test_the_first_message_is_typed_when_the_cli_is_ready(own):
    talk = own(message="a first message")
    assert talk.log.wait(lambda log: log.times_said("a first message") == 1, 120)
    talk.idle(60)


def test_a_message_to_a_busy_session_waits_for_its_turn(talk):
    talk.play({"parts": [{"text": "working on it"}], "hold": True})
    talk.say("the first task")
    talk.state("busy")
    reply = talk.post("message", message="the second task")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    talk.model.release()
    assert talk.log.wait(lambda log: log.times_said("the second task") == 1)
    talk.finish()


def test_nothing_is_typed_over_a_draft_of_the_desk(talk):
    talk.play()
    talk.seat.type("my own draft")
    talk.seat.see("my own draft")
    reply = talk.post("message", message="from the phone")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    talk.seat.press("C-u")
    assert talk.log.wait(lambda log: log.times_said("from the phone") == 1)
    assert talk.log.times_said("my own draft") == 0
    talk.finish()


def test_no_message_answers_an_open_prompt(talk):
    prompt = talk.do(turns.shell("touch unasked.txt"))
    reply = talk.post("message", message="what is this about?")
    assert reply.body["status"] == "queued"
    assert not (talk.cwd / "unasked.txt").exists()
    assert talk.deny(prompt).status == 200
    assert talk.log.wait(lambda log: log.times_said("what is this about?") == 1)
    talk.idle()
