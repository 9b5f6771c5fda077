"""Errors of the model's API: they are reported, and the session goes on."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("status", [400, 401, 403])
def test_an_error_that_is_final_is_reported(talk, status):
    seen = len(talk.events.seen)
    talk.model.play({"status": status}, repeat_last=True)
    talk.say(f"cause a {status}")
    error = talk.events.wait("session_error", start=seen, seconds=45)
    expected = "not_authorized" if status in (401, 403) else "api_error"
    assert error.data["code"] == expected, error.data
    talk.idle()
    talk.play()
    talk.say(f"and after the {status}")
    talk.finish()
    assert talk.log.times_said(f"and after the {status}") == 1


def test_a_missing_model_is_reported_or_asks_what_to_do(testbed, talk):
    seen = len(talk.events.seen)
    talk.model.play({"status": 404}, repeat_last=True)
    talk.say("cause a 404")
    if testbed.version == "0.34.0":  # it only reports the error
        error = talk.events.wait("session_error", start=seen, seconds=45)
        assert error.data["code"] == "api_error", error.data
    else:
        prompt = talk.prompt()
        assert prompt["type"] == "question"
        labels = [option["label"] for option in prompt["questions"][0]["options"]]
        assert talk.answer(prompt, {"0": labels[-1]}).status == 200
    talk.idle()
    talk.play()
    talk.say("and after the 404")
    talk.finish()
    assert talk.log.times_said("and after the 404") == 1


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_an_error_that_passes_is_waited_for(talk, status):
    talk.play({"status": status})
    talk.say(f"meet a {status} once")
    talk.finish()
    talk.play()
    talk.say(f"and after the {status}")
    talk.finish()
    assert talk.log.times_said(f"and after the {status}") == 1


def test_an_error_that_does_not_pass_can_be_interrupted(talk):
    talk.model.play({"status": 503}, repeat_last=True)
    talk.say("wait for ever")
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()
    talk.play()
    talk.say("the model is there again")
    talk.finish()
    assert talk.log.times_said("the model is there again") == 1
