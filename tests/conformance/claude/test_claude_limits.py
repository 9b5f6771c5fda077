"""A subscription's usage limit: the session is limited until the time that the CLI names."""

from __future__ import annotations

import time

import pytest


def refused(ends):
    """What the provider answers to a subscription that has used up its limit."""
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(ends),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
    error = {"type": "rate_limit_error", "message": "This would exceed your rate limit."}
    return {"status": 429, "error": {"type": "error", "error": error}, "headers": headers}


@pytest.fixture
def limited(testbed, own):
    """A session that reached its limit, and when that ends in seconds since 1970."""
    ends = int(time.time()) + 42 * 60
    with testbed.settings(login=True):
        talk = own()
        talk.idle(60)
        talk.model.play(refused(ends), repeat_last=True)
        talk.say()
        yield talk, ends


def test_a_usage_limit_is_a_state_with_its_end(testbed, limited):
    talk, ends = limited
    if not testbed.new:  # it asks at once what to do
        prompt = talk.prompt()
        assert prompt["type"] == "question"
        stop, *others = [option["label"] for option in prompt["questions"][0]["options"]]
        assert "Upgrade your plan" in others
        assert talk.approve(prompt).body["code"] == "wrong_kind"
        assert talk.answer(prompt, {"0": stop}).status == 200
    talk.state("limited")
    session = talk.get().body
    assert "hit your" in session["limit"]["text"]
    shown = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(ends))
    assert session["limit"]["endsAt"].startswith(shown)
    assert talk.events.wait("session_error").data["code"] == "usage_limit"
    assert talk.post("message", message="not yet").body["status"] == "queued"
    assert talk.log.said("not yet") == 0


@pytest.mark.timeout(400)
def test_a_cli_that_goes_on_by_itself_is_not_sent_a_second_message(testbed, own):
    if not testbed.new:
        pytest.skip("2.1.85 does not go on by itself")
    with testbed.settings(login=True):
        talk = own()
        talk.idle(60)
        talk.play(refused(int(time.time()) + 25))
        talk.say()
        talk.state("limited")
        assert talk.post("resume-later", message="sent by nobody").status == 200
        talk.until(lambda now: "limit" not in now, 250)
        talk.finish()
        assert talk.log.said("sent by nobody") == 0


def test_the_choices_at_a_limit_are_a_question_that_nothing_approves(testbed, limited):
    talk, _ = limited
    if testbed.new:
        talk.state("limited")
        talk.seat.say("/rate-limit-options")
    prompt = talk.prompt()
    assert prompt["type"] == "question"
    labels = [option["label"] for option in prompt["questions"][0]["options"]]
    assert "Upgrade your plan" in labels
    assert talk.approve(prompt).body["code"] == "wrong_kind"
    assert talk.answer(prompt, {"0": labels[0]}).status == 200
    talk.state("limited")
