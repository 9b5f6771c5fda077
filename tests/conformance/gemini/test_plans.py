"""Plans: proposed, approved in each way, and sent back with feedback."""

from __future__ import annotations

import pytest
from clawtap_gemini.live import turns
from clilab.gemini_plan import enter

AUTO = "Yes, automatically accept edits"
BY_HAND = "Yes, manually accept edits"
PLAN = "# The plan\n\n1. Write a test\n2. Make it pass\n"


def leave(talk):
    assert talk.post("permission-mode", mode="default").status == 200


def test_entering_plan_mode_can_be_refused(talk):
    prompt = talk.do(turns.enter_plan())
    assert prompt["type"] == "permission"
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert talk.get().body["mode"] == "default"


@pytest.mark.parametrize(("option", "mode"), [(AUTO, "auto_edit"), (BY_HAND, "default")])
def test_a_plan_is_approved(talk, option, mode):
    prompt = talk.do(enter(talk, PLAN))
    assert prompt["type"] == "plan"
    assert "Make it pass" in prompt["description"]
    assert [each["label"] for each in prompt["options"]] == [AUTO, BY_HAND]
    assert prompt["textInput"] is not None
    assert talk.approve(prompt, option=option).status == 200
    assert "approved" in str(talk.outputs())
    talk.finish()
    talk.until(lambda now: now["mode"] == mode)
    leave(talk)


def test_a_plan_is_sent_back_with_feedback_and_approved_then(talk):
    plan = enter(talk, PLAN)
    prompt = talk.do(plan, plan)
    reply = talk.respond(prompt, textValue="Add a migration first")
    assert reply.status == 200, reply
    assert "Add a migration first" in str(talk.outputs())
    again = talk.prompt()
    assert again["requestId"] != prompt["requestId"]
    assert talk.approve(again, option=BY_HAND).status == 200
    talk.outputs(2)
    talk.finish()
    leave(talk)


@pytest.mark.parametrize("length", [600, 3000])
def test_long_feedback_reaches_the_model_whole(talk, length):
    # The field shows three rows of it.
    feedback = " ".join(f"{at:05d} step" for at in range(length // 11))
    prompt = talk.do(enter(talk, PLAN))
    reply = talk.respond(prompt, textValue=feedback)
    assert reply.status == 200, reply
    assert feedback in str(talk.outputs())
    talk.finish()
    leave(talk)


def test_the_reason_of_a_refused_plan_reaches_the_model_once(talk):
    plan = enter(talk, PLAN)
    prompt = talk.do(plan)
    reply = talk.deny(prompt, reason="Write the test first")
    assert (reply.status, reply.body["state"]) == (200, "denied")
    assert "Write the test first" in str(talk.outputs())
    talk.finish()
    assert talk.log.times_said("Write the test first") == 0
    leave(talk)


def test_a_plan_is_denied(talk):
    prompt = talk.do(enter(talk, PLAN))
    assert talk.deny(prompt).body["state"] == "denied"
    talk.idle()
    assert talk.get().body["mode"] == "plan"
    leave(talk)
