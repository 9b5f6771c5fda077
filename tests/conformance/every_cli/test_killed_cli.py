"""A CLI that is killed: what it asked is withdrawn, and no call of its conversation is open."""

from __future__ import annotations

import os
import signal

import every_cli
from conversation_scenarios import conversation, spoken, until_said

pytestmark = every_cli.on_every_version

# They ask about an open call again when its conversation is resumed.
ASK_AGAIN = ("1.0.64",)


def kill(talk):
    """End the CLI, and what it started in its group, as `kill -9` does."""
    group = talk.testbed.desk.tmux("display-message", "-p", "-t", talk.seat.pane, "#{pane_pid}")
    os.killpg(int(group), signal.SIGKILL)


def test_no_call_of_it_stays_open(testbed, own):
    talk = own()
    talk.idle(90)
    talk.play()
    talk.say("remember the milk")
    talk.finish()
    prompt = talk.do(testbed.cli.turns.shell("touch never.txt"))
    kill(talk)
    assert talk.resolved(prompt)["state"] == "cancelled"
    assert talk.approve(prompt).status == 409
    assert ("call", "pending") not in spoken(conversation(talk))
    later = own(cwd=talk.cwd, resume=talk.get().body["cliSessionId"])
    later.until(lambda now: now["state"] in ("idle", "waiting"), 90)
    if testbed.version in ASK_AGAIN:
        assert later.deny(later.prompt()).status == 200
    later.idle(90)
    later.play()
    later.say("and the bread")
    # 1.0.64 shows no more of the conversation on its screen once it has asked again.
    said = spoken(until_said(later, later.end, "remember the milk"))
    assert [text for who, text in said if who == "user"][::2] == [
        "remember the milk",
        "and the bread",
    ]
    assert ("call", "pending") not in said
    assert later.log.times_said("and the bread") == 1
    assert not (talk.cwd / "never.txt").exists()
