"""Interrupting Kimi Code, switching its modes, and sessions of the desk."""

from __future__ import annotations

import pytest
from clawtap_kimi.live import turns

STORY = {"parts": [{"text": "once upon a time " * 60, "split": 17}], "chunk_delay": 0.3}


def test_a_turn_is_interrupted_and_the_next_message_is_sent(talk):
    talk.play(STORY)
    talk.say()
    talk.seat.see("once upon a time", seconds=60)
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()
    talk.seat.see("Interrupted by user")
    talk.play()
    talk.say("and now this")
    assert talk.log.wait(lambda log: log.times_said("and now this") == 1)
    talk.finish()


def test_a_command_that_runs_is_interrupted(talk):
    prompt = talk.do(turns.shell("sleep 60"))
    assert talk.approve(prompt).status == 200
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()


def test_nothing_is_interrupted_while_idle(talk):
    assert talk.post("interrupt").status == 409


def test_plan_mode_is_switched_on_and_off(talk):
    for mode in ("plan", "manual"):
        assert talk.post("permission-mode", mode=mode).status == 200
        talk.until(lambda now, mode=mode: now["mode"] == mode)


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    prompt = talk.do(turns.shell("touch mode.txt"))
    assert talk.post("permission-mode", mode="plan").status == 409
    assert talk.deny(prompt).status == 200
    talk.idle()


@pytest.mark.parametrize("mode", ["yolo", "auto"])
def test_a_session_is_started_in_a_mode_that_asks_less(own, mode):
    talk = own(permissionMode=mode)
    talk.idle(60)
    talk.until(lambda now: now["mode"] == mode)
    talk.play(turns.shell("touch unasked.txt"))
    talk.say()
    talk.finish()
    assert (talk.cwd / "unasked.txt").exists()


def test_a_session_adopted_at_the_desk_is_answered(testbed):
    cwd = testbed.project()
    seat = testbed.desk.open(("kimi",), cwd, testbed.env)
    seat.see("context:", seconds=60)
    talk = testbed.adopt(seat.pane, cwd)
    assert talk.get().body["adapter"] == "kimi"
    talk.idle(60)
    prompt = talk.do(turns.shell("touch adopted.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (cwd / "adopted.txt").exists()
    talk.leave()
    seat.close()


def test_the_layout_for_the_full_screen_is_answered(testbed):
    if not testbed.asks_trust:
        pytest.skip("this version has no such layout")
    cwd = testbed.project()
    env = {**testbed.env, "KIMI_CODE_TUI_FULL_SCREEN": "1"}
    seat = testbed.desk.open(("kimi",), cwd, env)
    seat.see("context:", seconds=60)
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    prompt = talk.do(turns.shell("touch full.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    prompt = talk.do(turns.ask(turns.choice("Which parts?", "API", "UI", multi=True)))
    assert talk.answer(prompt, {"0": ["UI", "the docs"]}).status == 200
    assert "UI, the docs" in str(talk.outputs())
    talk.finish()
    talk.leave()
    seat.close()


def test_a_low_and_a_wide_pane_are_answered(testbed):
    for cols, rows in ((60, 16), (170, 45)):
        talk = testbed.start(cols=cols, rows=rows)
        talk.idle(60)
        prompt = talk.do(turns.shell(f"touch size{cols}.txt"))
        assert prompt["toolInput"]["command"] == f"touch size{cols}.txt"
        assert talk.approve(prompt).status == 200
        talk.outputs()
        talk.finish()
        talk.leave()
