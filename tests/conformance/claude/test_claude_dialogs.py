"""Dialogs at the start of Claude Code: asked or put away, and what becomes of messages."""

from __future__ import annotations

import pytest
from clawtap_claude.live import turns


def test_a_new_folder_is_asked_about_and_trusted(testbed, own):
    with testbed.settings(trust=False):
        talk = own()
        prompt = talk.prompt(60)
        assert prompt["title"] == "Accessing workspace:"
        said = talk.post("message", message="hello after trust")
        assert said.status == 202
        talk.play()
        yes = next(each for each in prompt["options"] if each["label"].startswith("Yes"))
        assert talk.respond(prompt, selectedOption=yes["value"]).status == 200
        assert talk.log.wait(lambda log: log.times_said("hello after trust") == 1, 30)
        talk.idle()


def test_a_new_folder_is_not_trusted_and_the_cli_leaves(testbed, own):
    with testbed.settings(trust=False):
        talk = own()
        prompt = talk.prompt(60)
        assert talk.deny(prompt).status == 200
        talk.until(lambda now: now["state"] == "ended")


def test_the_key_is_asked_about_and_used(testbed, own):
    with testbed.settings(key=False):
        talk = own()
        prompt = talk.prompt(60)
        assert "API key" in prompt["title"]
        yes = next(each for each in prompt["options"] if each["label"] == "Yes")
        assert talk.respond(prompt, selectedOption=yes["value"]).status == 200
        talk.idle(60)


def test_the_late_question_about_the_mode_is_put_away_and_a_message_arrives_once(testbed, own):
    if not testbed.new:
        pytest.skip("this version does not ask")
    with testbed.settings(nudge=True):
        talk = own()
        state = testbed.home / ".claude" / ".claude.json"
        talk.until(lambda _: "hasSeenAutoDefaultNudge" in state.read_text(), 60)
        talk.idle()
        talk.play()
        text = talk.say()
        assert talk.log.wait(lambda log: log.times_said(text) == 1, 30)
        talk.finish()
        assert talk.get().body["mode"] == "default"
        assert talk.pending() == []


def test_the_offer_of_another_renderer_is_put_away_and_a_message_arrives_once(testbed, own):
    if not testbed.new:
        pytest.skip("this version has one renderer")
    with testbed.settings(renderer=True):
        talk = own()
        talk.idle(60)
        talk.play()
        text = talk.say()
        assert talk.log.wait(lambda log: log.times_said(text) == 1, 30)
        talk.finish()
        assert talk.noted("dialog_dismissed")["dialog"] == "renderer-nudge"
        assert talk.pending() == []


def test_it_starts_in_the_mode_that_was_asked_for(own):
    talk = own(permissionMode="acceptEdits")
    talk.idle(60)
    talk.until(lambda now: now["mode"] == "acceptEdits")
    path = talk.cwd / "edits.txt"
    talk.play(turns.write(path, "hello\n"))
    talk.say()
    talk.finish()
    assert path.exists()


def test_a_screen_that_the_desk_opened_and_closed_was_not_answered(own):
    talk = own()
    talk.idle(60)
    talk.seat.say("/theme")
    prompt = talk.prompt(15)
    assert prompt["type"] == "unknown"
    talk.seat.press("Escape")
    ended = talk.resolved(prompt)
    assert (ended["state"], ended["resolution"]["by"]) == ("cancelled", "someone")
