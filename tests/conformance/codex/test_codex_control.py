"""Modes, models, interrupting, the desk, adopting and ending."""

from __future__ import annotations

from contextlib import suppress

import pytest
from clawtap_codex.live import turns


def test_the_plan_mode_is_reached_and_left(talk):
    reply = talk.post("permission-mode", mode="plan")
    assert (reply.status, reply.body.get("mode")) == (200, "plan"), reply
    reply = talk.post("permission-mode", mode="default")
    assert (reply.status, reply.body.get("mode")) == (200, "default"), reply


def test_permissions_are_switched(own):
    talk = own()
    talk.idle(60)
    reply = talk.post("permission-mode", mode="ask")
    assert reply.status == 200, reply
    assert reply.body["mode"] == "ask"
    prompt_free = turns.patch(turns.new_file("unasked.txt", "one"))
    talk.play(prompt_free)
    talk.say()
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "unasked.txt").exists()
    reply = talk.post("permission-mode", mode="full-access")
    assert (reply.status, reply.body["mode"]) == (200, "full-access")


def test_a_mode_that_the_cli_does_not_have_is_refused(talk):
    assert talk.post("permission-mode", mode="reckless").status in (400, 422)
    if talk.testbed.version == "0.116.0":
        assert talk.post("permission-mode", mode="approve-for-me").status == 422
    talk.idle()


def test_no_mode_is_switched_while_a_prompt_is_open(talk):
    prompt = talk.do(turns.shell("touch mode.txt"))
    for mode in ("plan", "full-access"):
        assert talk.post("permission-mode", mode=mode).status == 409
    assert not (talk.cwd / "mode.txt").exists()
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_the_model_is_switched(own):
    talk = own()
    talk.idle(60)
    old = talk.testbed.version == "0.116.0"
    # The last rows of the list, of which 0.171 numbers nine only, and one with rows below it.
    for model in ("gpt-5.2",) if old else ("gpt-5.6-luna", "gpt-6-sol", "gpt-5.6-luna"):
        reply = talk.post("model", model=model)
        assert (reply.status, reply.body.get("model")) == (200, model), (reply, talk.seat.text())
    talk.play()
    talk.say()
    talk.finish()
    assert {request.model for request in talk.log.main()} == {model}


def test_an_unknown_model_is_refused_and_the_list_closed(own):
    talk = own()
    talk.idle(60)
    assert talk.post("model", model="gpt-0").status in (400, 422, 502)
    talk.idle()


def test_a_busy_cli_is_interrupted(talk):
    talk.play({"parts": [{"text": "too late"}], "hold": True})
    talk.say()
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.seat.see("Conversation interrupted")
    talk.model.release()
    talk.idle()


def test_a_busy_cli_is_interrupted_though_the_desk_has_scrolled_up(talk):
    if talk.testbed.version == "0.116.0":
        pytest.skip("has no screen of its own to scroll in")
    talk.play("\n".join(f"row {number}" for number in range(80)))
    talk.say()
    talk.seat.see("row 79")
    talk.idle()
    talk.play({"parts": [{"text": "too late"}], "hold": True})
    talk.say()
    talk.state("busy")
    talk.seat.press("PPage")
    talk.seat.see("esc latest")
    reply = talk.post("interrupt")
    assert reply.status == 200, (reply, talk.seat.text())
    talk.seat.see("Conversation interrupted")
    talk.model.release()
    talk.idle()


def test_a_streaming_answer_is_interrupted(talk):
    words = "\n".join(f"word{number}" for number in range(200))
    talk.play({"parts": [{"text": words, "split": 10}], "chunk_delay": 0.1})
    talk.say()
    talk.seat.see("word3")
    if talk.testbed.version == "0.116.0":
        # Its Escape does nothing while it writes.
        assert talk.post("interrupt").status == 422
        talk.seat.see("word199", seconds=30)
    else:
        assert talk.post("interrupt").status == 200
        talk.seat.see("Conversation interrupted")
    talk.idle(30)


def test_an_idle_cli_is_not_interrupted(talk):
    before = talk.seat.text()
    assert talk.post("interrupt").status == 409
    assert talk.seat.text() == before


def test_streaming_text_is_reported(talk):
    words = "\n".join(f"told{number}" for number in range(60))
    talk.play({"parts": [{"text": words, "split": 20}], "chunk_delay": 0.1})
    talk.say()
    talk.events.wait("text_delta", where=lambda data: "told" in str(data))
    talk.seat.see("told59")
    talk.idle()


def test_an_answer_at_the_desk_is_reported_and_a_late_one_types_nothing(talk):
    prompt = talk.do(turns.shell("touch desk.txt"))
    talk.seat.press("y")
    assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    late = talk.approve(prompt)
    assert late.status == 409, late
    talk.outputs()
    talk.finish()


def test_a_resized_pane_still_shows_one_prompt(talk):
    prompt = talk.do(turns.shell("touch resized.txt"))
    for cols, rows in ((80, 24), (140, 45), (120, 40)):
        talk.seat.resize(cols, rows)
        with pytest.raises(AssertionError, match="no approval_required"):
            talk.prompt(seconds=1.0)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_a_prompt_outlives_a_killed_server_with_its_id(talk):
    prompt = talk.do(turns.shell("touch killed.txt"))
    talk.testbed.served.kill()
    talk.events.close()
    talk.testbed.served.start()
    talk.listen()
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "killed.txt").exists()


def test_a_pane_started_by_hand_is_adopted_and_let_go(testbed):
    seat, cwd = testbed.sit()
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(20)
    prompt = talk.do(turns.shell("touch adopted.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    talk.leave()
    seat.see("Codex") if testbed.version != "0.116.0" else None
    seat.close()


def test_a_cli_that_quits_ends_its_session(own):
    talk = own()
    talk.idle(60)
    for _ in range(5):
        # While it starts, a key may be lost, or stop the start of its tools only.
        talk.seat.press("C-c")
        with suppress(AssertionError):
            talk.state("ended", 2)
            break
    talk.state("ended")


def test_a_chat_message_typed_blindly_approves_an_open_prompt(testbed):
    # The danger that rule 11 is about: were it gone, the rule would be tested by nothing.
    seat, cwd = testbed.sit()
    testbed.model.play(turns.shell("touch danger.txt"), "danger done")
    seat.say("be careful")
    seat.see("touch danger.txt", "Yes, proceed")
    seat.type("yes")
    seat.see("danger done")
    assert (cwd / "danger.txt").exists()
    seat.close()
