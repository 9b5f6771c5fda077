"""Modes, models, interrupting, adopting and ending."""

from __future__ import annotations

import pytest
from clawtap_gemini.live import turns

from clawtap_core.testing import Happened


@pytest.mark.parametrize("mode", ["auto_edit", "plan", "yolo"])
def test_a_mode_is_reached_and_left(talk, mode):
    reply = talk.post("permission-mode", mode=mode)
    assert (reply.status, reply.body["mode"]) == (200, mode)
    reply = talk.post("permission-mode", mode="default")
    assert (reply.status, reply.body["mode"]) == (200, "default")


def test_a_mode_two_keys_away_is_reached_in_a_fresh_session(own):
    talk = own()
    talk.idle(60)
    reply = talk.post("permission-mode", mode="plan")
    assert (reply.status, reply.body.get("mode")) == (200, "plan"), reply


def test_an_unknown_mode_is_refused(talk):
    assert talk.post("permission-mode", mode="reckless").status in (400, 422)
    assert talk.get().body["mode"] == "default"


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    prompt = talk.do(turns.write(talk.cwd / "mode.txt", "x\n"))
    for mode in ("yolo", "auto_edit"):
        assert talk.post("permission-mode", mode=mode).status == 409
    assert not (talk.cwd / "mode.txt").exists()
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_the_model_is_switched(talk):
    assert talk.post("model", model="gemini-2.5-flash").status == 200
    talk.play()
    talk.say()
    talk.finish()
    assert {request.model for request in talk.log.main()} == {"gemini-2.5-flash"}
    assert talk.post("model", model="gemini-2.5-pro").status == 200
    talk.idle()


def test_a_busy_cli_is_interrupted(talk):
    talk.play({"parts": [{"text": "too late"}], "hold": True})
    talk.say()
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.seat.see("Request cancelled")
    talk.model.release()
    talk.idle()


def test_an_idle_cli_is_not_interrupted(talk):
    talk.seat.type("a draft, which an Escape would be a step to clear")
    assert talk.post("interrupt").status == 409
    screen = talk.seat.see("would be a step to clear")
    assert "Press Esc again" not in screen
    talk.seat.press("C-u")


def test_streaming_text_and_thoughts_are_reported(talk):
    words = " ".join(f"word{n}" for n in range(60))
    parts = [{"thought": "**Pondering the design** well"}, {"text": words, "split": 40}]
    talk.play({"parts": parts, "chunk_delay": 0.1})
    talk.end = "word59"
    talk.say()
    delta: Happened = talk.events.wait("text_delta", where=lambda data: "word" in str(data))
    assert delta.id is None
    talk.finish()


def test_a_pane_started_by_hand_is_adopted_and_let_go(testbed):
    cwd = testbed.project()
    seat = testbed.desk.open(("gemini",), cwd, testbed.env)
    seat.see("Type your message", seconds=60)
    panes = testbed.client.get("/api/panes").body
    assert seat.pane in [pane["pane"] for pane in panes]
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(20)
    assert talk.get().body["origin"] == "adopted"
    prompt = talk.do(turns.shell("touch adopted.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    talk.leave()
    assert "Type your message" in seat.text()
    seat.close()


def test_a_prompt_that_stands_on_an_adopted_pane_is_found(testbed):
    cwd = testbed.project()
    seat = testbed.desk.open(("gemini",), cwd, testbed.env)
    seat.see("Type your message", seconds=60)
    testbed.model.play(turns.shell("touch found.txt"), "all found")
    seat.say("do it")
    seat.see("touch found.txt", "Allow once")
    talk = testbed.adopt(seat.pane, cwd)
    (prompt,) = talk.pending() or [talk.prompt()]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    seat.see("all found")
    talk.leave()
    seat.close()


def test_an_ended_session_is_gone_and_its_pane_too(testbed, own):
    talk = own()
    talk.idle(60)
    assert testbed.client.delete(talk.path).status in (200, 204)
    assert talk.seat.pane not in testbed.desk.tmux("list-panes", "-aF", "#{pane_id}").split()


def test_a_cli_that_quits_ends_its_session(own):
    talk = own()
    talk.idle(60)
    talk.play()
    talk.say()
    talk.finish()
    talk.seat.say("/quit")
    talk.state("ended")
