"""What the CLI's events say is what the model said and saw."""

from __future__ import annotations

import pytest
from clawtap_copilot.live import turns
from conversation_scenarios import (
    Stage,
    after_a_restart,
    last_of,
    refused_and_failed,
    resumed,
    spoken,
    two_in_one_folder,
    until_said,
)

SCENARIOS = (refused_and_failed, after_a_restart, resumed, two_in_one_folder)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(testbed, own, lend, scenario):
    def sit(cwd=None):
        raise NotImplementedError

    scenario(Stage(testbed, own, lend, turns, "copilot", sit, "/clear"))


def test_what_was_said_is_what_the_model_said_and_saw(talk):
    since = last_of(talk)
    command = "touch one.txt && echo made one"
    prompt = talk.do(turns.turn({"text": "I make a file."}, *turns.shell(command)["parts"]))
    assert talk.approve(prompt).status == 200
    (output,) = talk.outputs()
    talk.finish()
    said = spoken(until_said(talk, talk.end, **since))
    assert said[1:4] == [("assistant", "I make a file."), ("call", "success"), ("result", output)]
    assert "made one" in output
    assert said[-1] == ("assistant", talk.end)
    assert talk.get("/messages").body["status"]["model"] == "fake-1"


def test_an_answer_is_streamed_while_it_is_written(talk):
    talk.play({"parts": [{"text": "once upon a time " * 40, "split": 17}], "chunk_delay": 0.3})
    talk.say("tell me a story")
    talk.events.wait("text_delta", where=lambda data: "once upon" in data["text"], seconds=60)
    talk.idle(60)


def test_a_subagents_work_is_part_of_the_conversation(talk):
    since = last_of(talk)
    task = turns.task("look around", "SUBTASK: look")
    talk.play(task, {"parts": [{"text": "I looked around"}], "to": "SUBTASK"})
    asked = talk.say()
    talk.finish()
    messages = until_said(talk, talk.end, "I looked around", **since)
    origins = {each.get("origin") for each in messages if ("I looked around") in str(each)}
    assert "look around" in origins
    assert [text for who, text in spoken(messages) if who == "user"] == [asked]


def test_an_error_of_the_model_is_reported(own):
    talk = own()
    talk.idle(90)
    refused = {"status": 401, "error": {"error": {"message": "wrong key", "type": "auth"}}}
    # The CLI tries several times.
    talk.play(*[refused] * 12)
    talk.say("hello there")
    event = talk.events.wait("session_error", seconds=90)
    assert event.data["code"] == "not_authorized"
    assert "Authentication failed" in event.data["error"]
    talk.idle()
