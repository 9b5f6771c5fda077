"""Interrupting OpenCode, and switching between building and planning."""

from __future__ import annotations

from clawtap_opencode.live import turns

STORY = {"parts": [{"text": "once upon a time " * 60, "split": 17}], "chunk_delay": 0.3}


def test_a_turn_is_interrupted(talk):
    talk.play(STORY)
    talk.say()
    talk.seat.see("once upon a time")
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()
    talk.seat.see("interrupted")


def test_nothing_is_interrupted_while_idle(talk):
    assert talk.post("interrupt").status == 409


def test_the_mode_is_switched_and_switched_back(talk):
    assert talk.post("permission-mode", mode="plan").status == 200
    talk.until(lambda now: now["mode"] == "plan")
    assert talk.post("permission-mode", mode="build").status == 200
    talk.until(lambda now: now["mode"] == "build")


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    prompt = talk.do(turns.shell("touch mode.txt"))
    assert talk.post("permission-mode", mode="plan").status == 409
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_a_session_adopted_at_the_desk_is_answered(testbed):
    cwd = testbed.project()
    seat = testbed.desk.open(("opencode",), cwd, testbed.env)
    seat.see("ctrl+p commands", seconds=60)
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    prompt = talk.do(turns.shell("touch adopted.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (cwd / "adopted.txt").exists()
    talk.leave()
    seat.close()


def test_a_low_and_a_wide_pane_are_answered(testbed):
    for cols, rows in ((60, 16), (170, 45)):
        talk = testbed.start(cols=cols, rows=rows)
        talk.idle(60)
        prompt = talk.do(turns.shell(f"touch size{cols}.txt"))
        assert prompt["toolInput"] == {"command": f"touch size{cols}.txt"}
        assert talk.approve(prompt).status == 200
        talk.outputs()
        talk.finish()
        talk.leave()
