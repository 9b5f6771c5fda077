"""Steering Claude Code: interrupt, modes, models, messages at the wrong moment."""

from __future__ import annotations

import json
import time

import pytest
from clawtap_claude.live import turns
from message_scenarios import brings_the_image_of_a_path

LONG = {"parts": [{"text": "word " * 200, "split": 5}], "chunk_delay": 0.1}


def test_a_turn_is_interrupted(talk):
    talk.play(LONG)
    talk.say()
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()


@pytest.mark.parametrize("keys", ["?", "@", "!", "C-r"])
def test_a_turn_is_interrupted_though_the_desk_has_something_open(testbed, own, keys):
    if testbed.new and keys == "C-r":
        pytest.skip("its search takes the place of the composer")
    talk = own()
    talk.idle(60)
    talk.begin(LONG, seconds=3.0)
    talk.seat.press(keys)
    time.sleep(1)
    assert talk.get().body["state"] == "busy"
    reply = talk.post("interrupt")
    assert reply.status == 200, (reply, talk.seat.text())
    talk.idle()


def test_a_turn_that_ends_below_a_menu_of_the_desk_is_over(testbed, own):
    talk = own()
    talk.idle(60)
    said = talk.begin({"parts": [{"text": "all said"}]}, seconds=4.0)
    talk.seat.type("/mo")
    talk.seat.see("/model ")
    time.sleep(1)
    assert talk.get().body["state"] == "busy"
    talk.state("idle", 20)
    talk.seat.press("C-u")
    talk.idle()
    assert talk.log.times_said(said) == 1


def test_the_mode_goes_round_and_comes_back(talk):
    for mode in ("plan", "acceptEdits", "default"):
        reply = talk.post("permission-mode", mode=mode)
        assert reply.status == 200, reply
        talk.until(lambda now, mode=mode: now["mode"] == mode)


def test_a_mode_that_is_not_there_is_refused(talk):
    reply = talk.post("permission-mode", mode="bypassPermissions")
    assert reply.status == 422, reply
    talk.until(lambda now: now["mode"] == "default")


def test_the_model_is_switched(own):
    talk = own()
    talk.idle(60)
    talk.play()
    talk.say()
    talk.finish()
    reply = talk.post("model", model="haiku")
    assert reply.status == 200, reply
    talk.idle()
    talk.play()
    talk.say()
    talk.finish()
    assert "haiku" in talk.log.main()[-1].model


def test_a_message_of_several_lines_arrives_whole_and_once(talk):
    text = "first line 1\n\n  second line with äöü and 漢字\n" + "a long line " * 80
    talk.play()
    talk.say(text.strip())
    talk.finish()
    assert talk.log.times_said(text.strip()) == 1


def test_a_message_while_busy_waits_and_arrives_once(talk):
    talk.play({"parts": [{"text": "slow " * 20, "split": 5}], "chunk_delay": 0.1}, "second")
    talk.say()
    talk.state("busy")
    text = f"while busy {time.time()}"
    assert talk.post("message", message=text).status == 202
    assert talk.log.wait(lambda log: log.times_said(text) == 1, 30)
    talk.idle()


def test_a_message_does_not_answer_an_open_prompt(talk):
    prompt = talk.do(turns.shell("touch danger.txt"))
    text = "1 y yes"
    assert talk.post("message", message=text).status == 202
    time.sleep(1)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert not (talk.cwd / "danger.txt").exists()
    assert talk.deny(prompt).status == 200
    assert talk.log.wait(lambda log: log.times_said(text) == 1, 30)
    talk.idle()


def test_an_answer_at_the_desk_is_noticed(talk):
    prompt = talk.do(turns.shell("touch desk.txt"))
    time.sleep(0.5)  # what was just painted does not take keys yet
    talk.seat.press("1")
    assert talk.resolved(prompt)["resolution"]["outcome"] == "answered_elsewhere"
    assert talk.approve(prompt).status == 409
    talk.finish()


def test_a_prompt_over_half_a_message_of_the_desk_is_answered_and_the_text_stays(talk):
    talk.play(turns.shell("touch half.txt") | {"delay": 2.0})
    talk.say()
    talk.state("busy")
    talk.seat.type("half a message")
    prompt = talk.prompt()
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.seat.see(talk.end, "half a message", seconds=20)
    talk.seat.press("C-u")
    talk.idle()


def test_a_message_of_before_that_the_desk_brings_back_is_a_draft(own):
    talk = own()
    talk.idle(60)
    talk.play()
    said = talk.say("long words " * 12 + "end")
    talk.finish()
    talk.seat.press("Up")
    talk.seat.until(lambda screen: screen.count("long words end") == 2)
    time.sleep(0.5)
    reply = talk.post("message", message="after it")
    assert (reply.status, reply.body["status"]) == (202, "queued"), reply
    assert "composer" in reply.body["detail"]
    time.sleep(5)  # by then a dialog that is not known is announced
    assert (talk.get().body["state"], talk.pending()) == ("idle", [])
    talk.play()
    # Where the cursor stands in it differs by version.
    talk.seat.press(*["BSpace"] * len(said), *["DC"] * len(said))
    talk.finish()
    assert (talk.log.times_said(said), talk.log.times_said("after it")) == (1, 1)


def test_a_resized_prompt_is_still_the_same(talk):
    prompt = talk.do(turns.shell("touch resized.txt"))
    talk.seat.resize(70, 24)
    time.sleep(1)
    talk.seat.resize(120, 40)
    time.sleep(1)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_a_desk_session_is_adopted_and_answered(testbed):
    seat, cwd = testbed.sit()
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(30)
    prompt = talk.do(turns.shell("touch adopted.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    talk.leave()
    seat.close()


def test_a_file_that_goes_with_a_message_is_read_by_the_cli(talk):
    kept = talk.post("files?name=my note.json", squirrel="seven nuts").body
    talk.play()
    reply = talk.post("message", message="what is in it?", attachments=[kept["id"]])
    assert reply.status in (200, 202)
    talk.finish()
    heard = json.dumps(talk.log.main()[-1].body)
    assert heard.count("what is in it?") == 1
    assert kept["path"] in heard
    assert "seven nuts" in heard


@pytest.mark.parametrize("mention", ["{}", "'{}'"], ids=["plain", "quoted"])
def test_the_path_of_an_image_alone_brings_the_image_to_the_model(talk, mention):
    brings_the_image_of_a_path(talk, mention)
