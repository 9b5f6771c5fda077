"""What the CLI's own files say is what the model said and saw."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from clawtap_gemini.live import turns
from clilab.environment import MCP_SERVER
from conversation_scenarios import SCENARIOS, Stage, last_of, second, spoken, until_said


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(testbed, own, lend, scenario):
    def sit(cwd=None):
        cwd = cwd or testbed.project()
        seat = testbed.desk.open(("gemini",), cwd, testbed.env)
        seat.see("Type your message", seconds=60)
        return seat, cwd

    stage = Stage(testbed, own, lend, turns, "gemini", sit, "/clear", pick=second)
    # A call is written down once it was answered; the old version goes on in the same file.
    new = testbed.version != "0.34.0"
    scenario(replace(stage, pending_written=False, new_file=new))


def test_messages_that_the_desk_went_back_to_before_leave_the_conversation(testbed, own):
    if testbed.version == "0.34.0":
        pytest.skip("its file is rewritten without them")
    talk = own()
    talk.idle(60)
    for text in ("remember the first", "forget the second"):
        talk.play()
        talk.say(text)
        talk.finish()
    until_said(talk, "forget the second", talk.end)
    # It asks which message to go back to, the last one first, and then what to restore.
    talk.seat.press("Escape", "Escape")
    talk.seat.see("Stay at current position")
    talk.seat.press("Up", "Enter")
    talk.seat.see("Rewind conversation")
    talk.seat.press("Enter")
    talk.seat.see_gone("Rewind conversation")
    talk.seat.press("C-u")
    talk.play()
    talk.say("and the third")
    talk.finish()
    said = spoken(until_said(talk, talk.end))
    assert [text for who, text in said if who == "user"] == ["remember the first", "and the third"]


def test_messages_that_the_cli_queues_until_its_servers_are_ready_stay_two(testbed):
    slow = testbed.folder / "slow_server.py"
    slow.write_text(f"""
import runpy
import time

time.sleep(8)
runpy.run_path({str(MCP_SERVER)!r}, run_name="__main__")
""")
    with testbed.settings(servers={"slow": {"command": sys.executable, "args": [str(slow)]}}):
        talk = testbed.start()
        talk.idle(60)
        testbed.model.play("I hear you", "I hear you")
        talk.say("south first")
        talk.seat.see("Queued (press ↑ to edit)")
        talk.idle(60)
        talk.say("south second")
        talk.idle(60)
    said = spoken(until_said(talk, "south first", "south second"))
    assert [words for who, words in said if who == "user"] == ["south first", "south second"]
    talk.leave()


def test_the_switch_out_of_plan_mode_is_not_the_users_word(talk):
    before = last_of(talk)
    assert talk.post("permission-mode", mode="plan").status == 200
    assert talk.post("permission-mode", mode="default").status == 200
    talk.play()
    text = talk.say()
    talk.finish()
    said = spoken(until_said(talk, talk.end, **before))
    assert [words for who, words in said if who == "user"] == [text]
