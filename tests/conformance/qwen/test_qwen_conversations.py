"""What Qwen Code's session files say is what the model said and saw."""

from __future__ import annotations

import pytest
from clawtap_qwen.live import turns
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

    scenario(Stage(testbed, own, lend, turns, "qwen", sit, "/clear"))


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


def test_a_compression_is_a_notice(testbed, own):
    if testbed.version == "0.15.10":
        pytest.skip("writes down no compression of so short a conversation")
    talk = own()
    talk.idle(60)
    for text in ("remember the milk", "and the bread"):
        talk.play()
        talk.say(text)
        talk.finish()
    said = compact(talk, "/compress", "<state_snapshot>There was milk</state_snapshot>")
    assert "There was milk" not in str(said)
    talk.idle()
