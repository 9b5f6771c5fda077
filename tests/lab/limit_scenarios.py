"""What every CLI does at a usage limit."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from cli_testbed import CliSession


def is_limited(talk: CliSession, words: str, ends: int | None) -> None:
    """The session shows its limit and when it ends, and sends nothing into the CLI."""
    talk.state("limited")
    limit = talk.get().body["limit"]
    assert words in limit["text"]
    if ends is None:
        assert "endsAt" not in limit
    else:
        assert limit["endsAt"].startswith(time.strftime("%Y-%m-%dT%H:%M", time.gmtime(ends)))
    assert talk.post("message", message="not yet").body["status"] == "queued"
    assert talk.log.times_said("not yet") == 0


def resume_later(talk: CliSession, refusal: Mapping[str, Any], message: str, seconds: float) -> int:
    """Return how often a message for the end of the limit was sent to the CLI."""
    talk.idle(60)
    talk.play(refusal)
    talk.say()
    talk.state("limited")
    assert talk.post("resume-later", message=message).status == 200
    talk.until(lambda now: "limit" not in now, seconds)
    talk.finish()
    return talk.log.times_said(message)


def plan_used_up(seconds: int) -> dict[str, Any]:
    """What the provider of Codex answers to a plan that is used up for so many seconds."""
    error = {
        "type": "usage_limit_reached",
        "message": "The usage limit has been reached",
        "plan_type": "plus",
        "resets_at": int(time.time()) + seconds,
        "resets_in_seconds": seconds,
    }
    return {"status": 429, "error": {"error": error}}
