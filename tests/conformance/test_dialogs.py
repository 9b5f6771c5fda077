"""Dialogs that are no tool prompts: loop, quota, trust, IDE, sign-in, a shell that waits."""

from __future__ import annotations

import pytest
from clilab import gemini_turns as turns

KEEP = "Keep loop detection enabled"


def again(talk):
    return turns.turn(turns.call("list_directory", dir_path=str(talk.cwd)))


def test_a_loop_is_kept_from_going_on(talk):
    prompt = talk.do(*[again(talk)] * 8)
    assert prompt["type"] == "loop-detected"
    assert prompt["options"][0]["label"] == KEEP
    assert talk.respond(prompt, selectedOption=prompt["options"][0]["value"]).status == 200
    talk.seat.see("has been halted")
    talk.idle()


def test_a_loop_may_go_on(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(*[again(talk)] * 8)
    assert talk.respond(prompt, selectedOption=prompt["options"][1]["value"]).status == 200
    talk.finish()


def test_a_used_up_quota_asks_what_to_do(talk):
    if talk.ground.version == "0.34.0":
        pytest.skip("0.34 shows no dialog with an API key")
    prompt = talk.do(turns.QUOTA, turns.QUOTA)
    assert [each["label"] for each in prompt["options"]] == ["Keep trying", "Stop"]
    assert talk.respond(prompt, selectedOption=prompt["options"][1]["value"]).status == 200
    talk.idle()


def test_trust_in_a_folder_is_asked_and_given(ground, own):
    with ground.settings(ask_trust=True):
        talk = own()
        prompt = talk.prompt(60)
        assert prompt["options"][0]["label"].startswith("Trust folder")
        assert talk.respond(prompt, selectedOption=prompt["options"][0]["value"]).status == 200
        talk.idle(60)
    prompt = talk.do(turns.shell("touch trusted.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_a_message_sent_while_trust_is_asked_waits_and_arrives_once(ground, own):
    with ground.settings(ask_trust=True):
        talk = own()
        prompt = talk.prompt(60)
        talk.play()
        reply = talk.post("message", message="sent too early")
        assert (reply.status, reply.body["status"]) == (202, "queued")
        assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
        assert talk.respond(prompt, selectedOption=prompt["options"][0]["value"]).status == 200
    talk.finish()
    assert talk.log.said("sent too early") == 1


def test_permanent_approval_is_one_more_option(ground, own):
    with ground.settings(permanent=True):
        talk = own()
        talk.idle(60)
    prompt = talk.do(turns.shell("touch permanent.txt"))
    labels = [each["label"] for each in prompt["options"]]
    assert "Allow this command for all future sessions" in labels
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert not (talk.cwd / "permanent.txt").exists()


def test_signing_in_is_asked_like_any_prompt(ground, own):
    with ground.settings(auth=False):
        talk = own()
        prompt = talk.prompt(60)
        labels = [each["label"] for each in prompt["options"]]
        assert "Use Gemini API Key" in labels


def test_a_file_outside_the_folder_is_asked_for(ground, talk, tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("far away\n")
    talk.play()
    talk.say(f"read @{outside} please")
    prompt = talk.prompt()
    assert [each["label"] for each in prompt["options"]] == ["Yes", "No"]
    assert talk.approve(prompt).status == 200
    talk.finish()


def test_a_command_that_waits_for_input_reaches_the_user(talk):
    prompt = talk.do(turns.shell("read -r name; echo got $name > answer.txt"))
    assert talk.approve(prompt).status == 200
    waiting = talk.prompt(30)
    assert waiting["type"] == "unknown"
    assert waiting["screen"]
    for keys in ({"keys": ["Tab"]}, {"text": "Ann"}, {"keys": ["Enter"]}):
        screen = talk.get("/screen").body
        reply = talk.post("keys", screenRev=screen["revision"], **keys)
        assert reply.status == 200, reply
        talk.seat.until(lambda text: True)
    talk.finish()
    assert (talk.cwd / "answer.txt").read_text() == "got Ann\n"
