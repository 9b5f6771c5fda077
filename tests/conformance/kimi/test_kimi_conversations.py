"""What Kimi Code's files of conversations say is what the model said and saw."""

from __future__ import annotations

import pytest
from clawtap_kimi.live import turns
from conversation_scenarios import (
    Stage,
    after_a_restart,
    at_the_desk,
    last_of,
    model_error,
    refused_and_failed,
    resumed,
    spoken,
    streaming_text,
    two_in_one_folder,
    until_said,
)

SCENARIOS = (
    refused_and_failed,
    after_a_restart,
    two_in_one_folder,
    streaming_text,
    resumed,
    at_the_desk,
)


@pytest.fixture
def stage(testbed, own, lend):
    def sit(cwd=None):
        cwd = cwd or testbed.project()
        seat = testbed.desk.open(("kimi",), cwd, testbed.env)
        seat.see("context:", seconds=60)
        return seat, cwd

    return Stage(testbed, own, lend, turns, "kimi", sit, "/new", begun="Started a new")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(stage, scenario):
    scenario(stage)


def test_an_error_of_the_model_is_reported(testbed, stage):
    if not testbed.reports_calls:
        pytest.skip("this version keeps errors to its screen")
    model_error(stage)


def test_what_was_said_is_what_the_model_said_and_saw(talk):
    since = last_of(talk)
    command = "touch one.txt && echo made one"
    prompt = talk.do(turns.turn({"text": "I make a file."}, *turns.shell(command)["parts"]))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    said = spoken(until_said(talk, talk.end, **since))
    assert said[1:3] == [("assistant", "I make a file."), ("call", "success")]
    assert "made one" in said[3][1]
    assert said[-1] == ("assistant", talk.end)
    assert talk.get("/messages").body["status"]["model"] == "fake-1"


def test_a_subagents_work_is_part_of_the_conversation(talk):
    since = last_of(talk)
    words = "I looked around, and this is all of it. " * 30
    task = turns.task("look around", "SUBTASK: look")
    talk.play(task, {"parts": [{"text": words}], "to": "SUBTASK"})
    asked = talk.say()
    talk.finish()
    messages = until_said(talk, talk.end, words.strip()[:40], **since)
    origins = {each.get("origin") for each in messages if "I looked around" in str(each)}
    assert "SUBTASK: look" in origins
    assert [text for who, text in spoken(messages) if who == "user"] == [asked]
