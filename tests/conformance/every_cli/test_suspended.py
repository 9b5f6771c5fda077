"""Ctrl+Z at the desk, in a pane without a shell: the prompt stays, and is answered."""

from __future__ import annotations

import time


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
