"""A subscription's usage limit: the session is limited until the time that the CLI names."""

from __future__ import annotations

import time

import pytest
from limit_scenarios import is_limited, resume_later


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


def stop_and_wait(talk):
    """The choices at a limit are a question; the first one changes nothing."""
    prompt = talk.prompt()
    assert prompt["type"] == "question"
    stop, *others = [option["label"] for option in prompt["questions"][0]["options"]]
    assert "Upgrade your plan" in others
    assert talk.approve(prompt).body["code"] == "wrong_kind"
    assert talk.answer(prompt, {"0": stop}).status == 200


def test_a_usage_limit_is_a_state_with_its_end(testbed, limited):
    talk, ends = limited
    if not testbed.new:  # it asks at once what to do
        stop_and_wait(talk)
    is_limited(talk, "hit your", ends)
    assert talk.events.wait("session_error").data["code"] == "usage_limit"


def test_a_usage_limit_over_stream_json_is_a_state_with_its_end(testbed):
    ends = int(time.time()) + 42 * 60
    with testbed.settings(login=True):
        talk = testbed.speak()
        talk.idle(60)
        talk.model.play(refused(ends), repeat_last=True)
        talk.say()
        try:
            is_limited(talk, "hit your", ends)
        finally:
            talk.leave()


@pytest.mark.timeout(400)
def test_a_cli_that_goes_on_by_itself_is_not_sent_a_second_message(testbed, own):
    if not testbed.new:
        pytest.skip("2.1.85 does not go on by itself")
    with testbed.settings(login=True):
        refusal = refused(int(time.time()) + 25)
        assert resume_later(own(), refusal, "sent by nobody", 250) == 0


def test_the_choices_at_a_limit_are_a_question_that_nothing_approves(testbed, limited):
    talk, _ = limited
    if testbed.new:
        talk.state("limited")
        talk.seat.say("/rate-limit-options")
    stop_and_wait(talk)
    talk.state("limited")
