"""Interrupting Qwen Code, switching its modes, trusting a folder, and sessions of the desk."""

from __future__ import annotations

from clawtap_qwen.live import turns

STORY = {"parts": [{"text": "once upon a time " * 60, "split": 17}], "chunk_delay": 0.3}


def test_a_turn_is_interrupted_and_the_next_message_is_sent(talk):
    talk.play(STORY)
    talk.say()
    talk.seat.see("once upon a time", seconds=60)
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()
    talk.seat.see("Request cancelled")
    talk.play()
    talk.say("and now this")
    assert talk.log.wait(lambda log: log.times_said("and now this") == 1)
    talk.finish()


def test_nothing_is_interrupted_while_idle(talk):
    assert talk.post("interrupt").status == 409


def test_the_mode_is_switched_and_switched_back(talk):
    for mode in ("plan", "auto-edit", "default"):
        assert talk.post("permission-mode", mode=mode).status == 200
        talk.until(lambda now, mode=mode: now["mode"] == mode)


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    prompt = talk.do(turns.shell("touch mode.txt"))
    assert talk.post("permission-mode", mode="auto-edit").status == 409
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_a_folder_is_trusted_once(testbed, own):
    with testbed.settings(ask_trust=True):
        talk = own()
        prompt = talk.prompt(60)
        assert (prompt["type"], prompt["title"]) == ("permission", "Do you trust this folder?")
        trust = prompt["options"][0]["label"]
        assert talk.approve(prompt, option=trust).status == 200
        talk.idle(60)
        assert str(talk.cwd) in (testbed.home / ".qwen" / "trustedFolders.json").read_text()


def test_a_session_adopted_at_the_desk_is_answered(testbed):
    cwd = testbed.project()
    seat = testbed.desk.open(("qwen",), cwd, testbed.env)
    seat.see("Type your message", seconds=60)
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
        assert prompt["toolInput"]["command"] == f"touch size{cols}.txt"
        assert talk.approve(prompt).status == 200
        talk.outputs()
        talk.finish()
        talk.leave()
