"""What OpenCode's database says is what the model said and saw."""

from __future__ import annotations

import pytest
from clawtap_opencode.live import turns
from conversation_scenarios import (
    Stage,
    after_a_restart,
    compact,
    last_of,
    model_error,
    refused_and_failed,
    spoken,
    stored_and_resumed,
    streaming_text,
    two_in_one_folder,
    until_said,
)

SCENARIOS = (
    refused_and_failed,
    after_a_restart,
    two_in_one_folder,
    streaming_text,
    stored_and_resumed,
    model_error,
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(testbed, own, lend, scenario):
    def sit(cwd=None):
        raise NotImplementedError

    scenario(Stage(testbed, own, lend, turns, "opencode", sit, "/new"))


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
    assert talk.get("/messages").body["status"]["model"] == "fake/fake-1"


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


def test_the_summary_of_a_compaction_is_a_notice_and_no_answer(own):
    talk = own()
    talk.idle(60)
    talk.play()
    talk.say("remember the milk")
    talk.finish()
    said = compact(talk, "/compact")
    assert [text for who, text in said if who == "assistant"] == [talk.end]
