"""Sessions that the desk sent to the background, and the list that they are in."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from clawtap_claude.live import turns

SLOW_TO_STAND_STILL = 15


@pytest.fixture(scope="module")
def testbed(testbed):
    if not testbed.new:
        pytest.skip("has no sessions in the background")
    yield testbed
    # They outlive the CLI that began them.
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"HOME={testbed.home}\0".encode() in (folder / "environ").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)


def sent_to_the_background(own):
    """Return a session with one message, while the terminal shows the list that it is in."""
    talk = own()
    talk.idle(60)
    talk.play()
    talk.say("begin")
    talk.finish()
    talk.seat.press("Left")
    talk.seat.see("describe a task for a new session")
    return talk


def test_a_session_in_the_background_that_asks_is_not_idle_and_is_answered_once_opened(own):
    talk = sent_to_the_background(own)
    talk.play(turns.shell("touch behind.txt && ls"))
    talk.seat.press("Space")
    talk.seat.see("❯ reply")
    talk.seat.say("please do it")
    talk.seat.see("approve Bash")
    assert talk.prompt(SLOW_TO_STAND_STILL)["type"] == "unknown"
    talk.seat.press("Enter")
    talk.seat.see("Do you want to proceed?")
    prompt = talk.prompt()
    assert (prompt["type"], prompt["toolInput"]) == (
        "permission",
        {"command": "touch behind.txt && ls", "description": "Runs it"},
    )
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    talk.finish()
    assert (talk.cwd / "behind.txt").exists()


def test_every_kind_of_prompt_is_read_in_a_session_that_came_back(own):
    talk = sent_to_the_background(own)
    talk.seat.press("Enter")
    talk.seat.see("manual mode on")
    talk.idle()
    prompt = talk.do(turns.write(talk.cwd / "new.txt", "words\n"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "Write")
    assert talk.deny(prompt, reason="rather not").status == 200
    talk.finish()
    assert not (talk.cwd / "new.txt").exists()
    prompt = talk.do(turns.ask(turns.choice("Which ones?", "Red", "Blue", "Green", multi=True)))
    assert talk.answer(prompt, {"0": ["Blue", "another"]}).status == 200
    assert "Blue, another" in str(talk.outputs())
    talk.finish()
