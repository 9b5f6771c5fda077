"""What a user hears when the provider refuses a request."""

from __future__ import annotations

import pytest
from clawtap_codex.live import turns

CODES = {
    400: "api_error",
    401: "not_authorized",
    404: "api_error",
    429: "rate_limited",
    500: "api_error",
    503: "api_error",
    529: "api_error",
}


@pytest.mark.parametrize("status", CODES)
def test_an_error_of_the_provider_is_reported_once(talk, status):
    heard = len(talk.events.seen)
    error = {"error": {"message": f"scripted {status}", "type": "scripted", "code": "scripted"}}
    talk.model.play({"parts": [], "status": status, "error": error})
    talk.say()
    # 0.116 writes down only that there is no answer.
    code = CODES[status] if talk.testbed.version != "0.116.0" else "api_error"
    event = talk.events.wait("session_error", where=lambda data: data["code"] == code)
    assert event.data["error"]
    talk.idle()
    errors = [each for each in talk.events.seen[heard:] if each.type == "session_error"]
    assert len(errors) == 1


@pytest.mark.parametrize("status", [400, 429, 500])
def test_an_error_in_the_middle_of_a_turn_is_reported_once(talk, status):
    heard = len(talk.events.seen)
    error = {"error": {"message": f"scripted {status}", "type": "scripted", "code": "scripted"}}
    prompt = talk.do(
        turns.turn(turns.command("touch before.txt"), text="Let me see."),
        {"parts": [], "status": status, "error": error},
    )
    assert talk.approve(prompt).status == 200
    assert talk.events.wait("session_error").data["error"]
    talk.idle()
    errors = [each for each in talk.events.seen[heard:] if each.type == "session_error"]
    assert len(errors) == 1
