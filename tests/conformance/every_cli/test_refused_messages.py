"""A hook of the user's refuses a message: its sender learns why, and the session goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from codex_testbed import READY
from every_cli import OTHER_VERSIONS, VERSIONS, tried_on

pytestmark = tried_on(
    tuple(
        each
        for each in VERSIONS + OTHER_VERSIONS
        if each[0] in ("claude", "codex", "gemini", "qwen")
    )
)
REASON = "Not on Sundays."
EVENTS = {"claude": "UserPromptSubmit", "qwen": "UserPromptSubmit", "gemini": "BeforeAgent"}
TOLD = "told.log"
DECISION = json.dumps({"decision": "block", "reason": REASON})


def hook(seconds: float) -> list[dict[str, object]]:
    """A hook that notes what it is told, and refuses what is forbidden after so many seconds."""
    command = f"sleep {seconds}; if tee -a {TOLD} | grep -q forbidden; then echo '{DECISION}'; fi"
    return [{"hooks": [{"type": "command", "name": "refuses", "command": command}]}]


@pytest.fixture(params=[0, 1.5], ids=["at once", "late"])
def talk(testbed, request) -> Iterator:
    """A session whose user has such a hook."""
    cwd, cli = testbed.project(), testbed.cli.name
    if cli == "codex":
        talk = start_codex(testbed, cwd, request.param)
    else:
        settings = cwd / f".{cli}" / "settings.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps({"hooks": {EVENTS[cli]: hook(request.param)}}))
        talk = testbed.start(cwd)
    talk.idle(90)
    yield talk
    talk.leave()


def start_codex(testbed, cwd: Path, seconds: float):
    """Codex has one file of hooks for all folders, and asks whether to trust it."""
    testbed.trusted.add(cwd)
    testbed.settle(hooks=True)
    hooks = testbed.home / ".codex" / "hooks.json"
    hooks.write_text(json.dumps({"hooks": {"UserPromptSubmit": hook(seconds)}}))
    trusts = () if testbed.version == "0.116.0" else ("--dangerously-bypass-hook-trust",)
    seat = testbed.desk.open(("codex", *testbed.flags, *trusts), cwd, testbed.env)
    seat.see(READY, seconds=60)
    return testbed.adopt(seat.pane, cwd)


def refusals(talk):
    """What the journal says of refused messages."""
    errors = [event["data"] for event in talk.journal() if event["type"] == "session_error"]
    assert {error["code"] for error in errors} <= {"message_refused"}, errors
    return [error["error"] for error in errors]


def test_the_sender_learns_why_and_the_next_message_is_sent(talk):
    talk.play()
    first, second = (f"forbidden {time.monotonic_ns()}" for _ in range(2))
    assert talk.post("message", message=first).status == 200, talk.seat.text()
    talk.events.wait("session_error", seconds=60)
    assert refusals(talk) == [f"a hook refused the message “{first}”: {REASON}"]
    assert talk.post("message", message=f"{second}\nin two lines").status in (200, 202)
    talk.until(lambda now: len(refusals(talk)) == 2, 60)
    said = f"allowed {time.monotonic_ns()}"
    assert talk.post("message", message=said).status in (200, 202)
    talk.finish()
    assert talk.log.times_said(said) == 1
    assert talk.log.times_said(first) == 0
    assert len(refusals(talk)) == 2
    told = (talk.cwd / TOLD).read_text()
    # Enter is not pressed again for what was given back.
    assert len({told.count(text) for text in (first, second, said)}) == 1, told
