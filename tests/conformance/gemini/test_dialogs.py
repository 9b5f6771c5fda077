"""Dialogs that are no tool prompts: loop, quota, trust, IDE, sign-in, a shell that waits."""

from __future__ import annotations

import time

import pytest
from clawtap_gemini.live import turns

KEEP = "Keep loop detection enabled"
DONT_ASK = "No, don't ask again"


def again(talk):
    return turns.turn(turns.call("list_directory", dir_path=str(talk.cwd)))


def test_a_loop_is_kept_from_going_on(talk):
    prompt = talk.do(*[again(talk)] * 8)
    assert prompt["type"] == "loop-detected"
    assert prompt["options"][0]["label"] == KEEP
    assert talk.respond(prompt, selectedOption=prompt["options"][0]["value"]).status == 200
    talk.seat.see("A potential loop was detected. This can happen")
    talk.idle()


def test_a_loop_may_go_on(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(*[again(talk)] * 8)
    assert talk.respond(prompt, selectedOption=prompt["options"][1]["value"]).status == 200
    talk.finish()


def test_a_used_up_quota_asks_what_to_do(talk):
    if talk.testbed.version == "0.34.0":
        pytest.skip("0.34 shows no dialog with an API key")
    prompt = talk.do(turns.QUOTA, turns.QUOTA)
    (question,) = prompt["questions"]
    assert [each["label"] for each in question["options"]] == ["Keep trying", "Stop"]
    assert talk.answer(prompt, {"0": "Stop"}).status == 200
    talk.state("limited")


def test_trust_in_a_folder_is_asked_and_given(testbed, own):
    with testbed.settings(ask_trust=True):
        talk = own()
        prompt = talk.prompt(60)
        assert prompt["options"][0]["label"].startswith("Trust folder")
        assert talk.respond(prompt, selectedOption=prompt["options"][0]["value"]).status == 200
        talk.idle(60)
    prompt = talk.do(turns.shell("touch trusted.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_a_message_sent_while_trust_is_asked_waits_and_arrives_once(testbed, own):
    with testbed.settings(ask_trust=True):
        talk = own()
        prompt = talk.prompt(60)
        talk.play()
        reply = talk.post("message", message="sent too early")
        assert (reply.status, reply.body["status"]) == (202, "queued")
        assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
        assert talk.respond(prompt, selectedOption=prompt["options"][0]["value"]).status == 200
    talk.finish()
    assert talk.log.times_said("sent too early") == 1


def test_the_offer_to_connect_an_editor_is_put_away_and_a_message_arrives_once(testbed, own):
    with testbed.settings(ask_ide=True):
        talk = own()
        talk.seat.see("Do you want to connect", seconds=60)
        talk.play()
        text = talk.say()
        talk.finish()
    assert talk.log.times_said(text) == 1
    assert talk.noted("dialog_dismissed")["dialog"] == "ide-nudge"
    assert talk.pending() == []


def test_the_same_offer_in_a_pane_of_ones_own_is_asked(testbed):
    with testbed.settings(ask_ide=True):
        cwd = testbed.project()
        seat = testbed.desk.open(("gemini",), cwd, testbed.env)
        seat.see("Do you want to connect", seconds=60)
        talk = testbed.adopt(seat.pane, cwd)
        talk.until(lambda now: now["pending"] == 1)
    (prompt,) = talk.pending()
    assert [each["label"] for each in prompt["options"]] == ["Yes", "No", DONT_ASK]
    assert talk.deny(prompt).status == 200
    talk.idle()
    talk.leave()
    seat.close()


def test_permanent_approval_is_one_more_option(testbed, own):
    with testbed.settings(permanent=True):
        talk = own()
        talk.idle(60)
    prompt = talk.do(turns.shell("touch permanent.txt"))
    labels = [each["label"] for each in prompt["options"]]
    assert "Allow this command for all future sessions" in labels
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert not (talk.cwd / "permanent.txt").exists()


def test_signing_in_is_asked_like_any_prompt(testbed, own):
    with testbed.settings(auth=False):
        talk = own()
        prompt = talk.prompt(60)
        (question,) = prompt["questions"]
        assert "Use Gemini API Key" in [each["label"] for each in question["options"]]


def test_a_file_outside_the_folder_is_asked_for(testbed, talk, tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("far away\n")
    # What 0.61 queues while its MCP servers start goes to the model without the file, unasked.
    talk.play()
    talk.say("hello")
    talk.finish()
    talk.play()
    talk.say(f"read @{outside} please")
    prompt = talk.prompt()
    assert [each["label"] for each in prompt["options"]] == ["Yes", "No"]
    assert talk.approve(prompt).status == 200
    talk.finish()


def test_a_command_that_waits_for_input_reaches_the_user(talk):
    # The CLI says so after 20 s; a command whose output goes to a file gets much longer.
    prompt = talk.do(turns.shell("read -r name && mkdir got-$name"))
    assert talk.approve(prompt).status == 200
    waiting = talk.prompt(45)
    assert waiting["type"] == "unknown"
    assert "awaiting input" in waiting["screen"]
    for keys, shows in (
        ({"keys": ["Tab"]}, "to unfocus"),
        ({"text": "Ann"}, "Ann"),
        ({"keys": ["Enter"]}, talk.end),
    ):
        # Between two keys the screen may change once more: then the key is not pressed.
        for _ in range(20):
            screen = talk.get("/screen").body
            reply = talk.post("keys", screenRev=screen["revision"], **keys)
            if reply.status != 409:
                break
        assert reply.status == 200, reply
        talk.seat.see(shows)
    talk.finish()
    assert (talk.cwd / "got-Ann").is_dir()


def test_trust_in_further_folders_is_asked_and_given(testbed, own):
    further = testbed.project()
    with testbed.settings(ask_trust=True):
        talk = own(args=["--include-directories", str(further)])
        first = talk.prompt(60)
        assert talk.respond(first, selectedOption=first["options"][0]["value"]).status == 200
        prompt = talk.prompt(60)
    assert str(further) in prompt["title"] + prompt["description"]
    assert prompt["type"] == "permission"
    assert [(option["label"], option["effect"]) for option in prompt["options"]] == [
        ("Yes", "allow_once"),
        ("Yes, and remember the directories as trusted", "allow_always"),
        ("No", "deny"),
    ]
    assert talk.approve(prompt).status == 200
    talk.idle(60)


def test_the_privacy_notice_that_the_desk_opened_is_shown_and_left_by_a_key(own):
    talk = own()
    talk.idle(60)
    talk.seat.say("/privacy")
    prompt = talk.prompt()
    assert prompt["type"] == "unknown"
    assert "Press Esc to exit" in prompt["screen"]
    screen = talk.get("/screen").body
    assert talk.post("keys", screenRev=screen["revision"], keys=["Escape"]).status == 200
    talk.seat.see_gone("Gemini API Key Notice")
    talk.idle()
    assert talk.pending() == []


def test_the_list_of_models_is_answered_and_so_is_the_one_that_it_opens(own):
    talk = own()
    talk.idle(60)
    talk.seat.type("/model")
    talk.seat.see("/model")
    time.sleep(1)  # it completes what is typed
    talk.seat.press("Enter")
    prompt = talk.prompt()
    (question,) = prompt["questions"]
    assert question["options"][-1]["label"].startswith("Manual")
    reply = talk.answer(prompt, {"0": question["options"][-1]["label"]})
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    models = talk.prompt()
    assert models["title"] == prompt["title"]
    last = models["questions"][0]["options"][-1]["label"]
    assert talk.answer(models, {"0": last}).status == 200
    talk.until(lambda now: now["model"] == last)
    talk.idle()


def test_the_choice_of_an_editor_comes_with_its_screen_and_the_edit_is_asked_again(talk):
    prompt = talk.do(turns.write(talk.cwd / "edited.txt", "words\n"))
    assert talk.respond(prompt, selectedOption="modify-with-external-editor").status == 200
    editors = talk.prompt()
    # Two lists: which of them has the keys is not in the text.
    assert (editors["type"], "Select Editor" in editors["screen"]) == ("unknown", True)
    screen = talk.get("/screen").body
    assert talk.post("keys", screenRev=screen["revision"], keys=["Down"]).status == 200
    assert [each["requestId"] for each in talk.pending()] == [editors["requestId"]]
    # With no editor chosen, the CLI asks again.
    talk.seat.press("Up")
    talk.seat.see("●  1. None")
    time.sleep(0.6)  # it drops an Enter that comes at once
    talk.seat.press("Enter")
    again = talk.prompt()
    assert (again["type"], again["title"]) == ("permission", prompt["title"])
    assert talk.deny(again).status == 200
    talk.idle()
    assert not (talk.cwd / "edited.txt").exists()


def test_of_two_equal_messages_in_the_list_of_rewind_none_is_chosen(own):
    talk = own()
    talk.idle(60)
    for said in ("do it", "another", "do it"):
        talk.play()
        talk.say(said)
        talk.finish()
    talk.seat.say("/rewind")
    prompt = talk.prompt()
    reply = talk.answer(prompt, {"0": "do it"})
    assert (reply.status, reply.body["code"]) == (422, "cannot_answer"), reply
    assert talk.answer(prompt, {"0": "another"}).status == 200
    sure = talk.prompt()
    assert sure["title"] == "Confirm Rewind"
    assert talk.deny(sure).status == 200
