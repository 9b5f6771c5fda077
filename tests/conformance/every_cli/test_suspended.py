"""Ctrl+Z at the desk: what a CLI asks stays and is answered, and messages wait for it."""

from __future__ import annotations

import time

import pytest
from shell_at_the_desk import PROMPT, open_shell, run_in_shell, start_command


def test_a_prompt_outlives_ctrl_z(testbed, own):
    talk = own()
    talk.idle(90)
    prompt = talk.do(testbed.cli.turns.shell("touch suspended.txt && ls"))
    talk.seat.press("C-z")
    time.sleep(3)  # longer than any CLI needs to leave and to come back
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert not [event for event in talk.journal() if event["type"] == "prompt_resolved"]
    reply = talk.approve(prompt)
    assert (reply.status, reply.body.get("state")) == (200, "answered"), reply
    talk.finish()
    assert (talk.cwd / "suspended.txt").exists()


def test_a_message_to_a_cli_that_its_shell_holds_says_what_it_waits_for(testbed, own):
    if testbed.cli.name == "gemini":
        pytest.skip("it does not go to the background from its composer")
    known = own()  # the CLI trusts its folder now
    known.idle(90)
    known.leave()
    seat = open_shell(testbed, known.cwd)
    run_in_shell(seat, start_command(testbed))
    talk = testbed.adopt(seat.pane, known.cwd)
    talk.idle(90)
    seat.press("C-z")
    seat.see(PROMPT)
    talk.play()
    reply = talk.post("message", message="wait for fg")
    assert reply.status == 202, reply
    assert reply.body["detail"] == "another program is in the foreground of the pane"
    seat.type("fg")
    seat.press("Enter")
    talk.finish()
    assert talk.log.times_said("wait for fg") == 1
    assert "detail" not in talk.get().body
    talk.leave()
    seat.close()
