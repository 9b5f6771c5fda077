"""A plan's usage limit: the session is limited until the time that the CLI names."""

from __future__ import annotations

import time

import pytest


def test_a_usage_limit_is_a_state_with_its_end(testbed, own):
    if testbed.version == "0.116.0":
        pytest.skip("0.116 writes no error into its transcript")
    ends = int(time.time()) + 42 * 60
    error = {
        "type": "usage_limit_reached",
        "message": "The usage limit has been reached",
        "plan_type": "plus",
        "resets_at": ends,
        "resets_in_seconds": 42 * 60,
    }
    talk = own()
    talk.idle(60)
    talk.model.play({"status": 429, "error": {"error": error}}, repeat_last=True)
    talk.say()
    talk.state("limited")
    limit = talk.get().body["limit"]
    assert "hit your usage limit" in limit["text"]
    assert limit["endsAt"].startswith(time.strftime("%Y-%m-%dT%H:%M", time.gmtime(ends)))
    assert talk.post("message", message="not yet").body["status"] == "queued"
    assert talk.pending() == []
    assert talk.log.said("not yet") == 0
