"""Start-up dialogs: put away, or asked like any prompt; and the nudge after a turn."""

from __future__ import annotations

import pytest
from clawtap_codex.live import turns


def only_new(testbed):
    if testbed.version == "0.116.0":
        pytest.skip("0.116 has no such dialog")


def test_trust_in_a_folder_is_asked_and_given(testbed, own):
    with testbed.settings(trust=False):
        talk = own()
        prompt = talk.prompt(60)
        assert prompt["type"] == "permission"
        assert prompt["options"][0]["effect"] == "allow_always"
        chosen = prompt["options"][0]["value"]
        assert talk.respond(prompt, selectedOption=chosen).status == 200
        talk.idle(60)
    prompt = talk.do(turns.shell("touch trusted.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_a_message_sent_while_trust_is_asked_waits_and_arrives_once(testbed, own):
    with testbed.settings(trust=False):
        talk = own()
        prompt = talk.prompt(60)
        talk.play()
        reply = talk.post("message", message="sent too early")
        assert (reply.status, reply.body["status"]) == (202, "queued")
        chosen = prompt["options"][0]["value"]
        assert talk.respond(prompt, selectedOption=chosen).status == 200
        talk.finish()
    assert talk.log.times_said("sent too early") == 1


def test_a_new_model_is_not_taken(testbed, own):
    only_new(testbed)
    with testbed.settings(migrate=True):
        talk = own()
        talk.idle(60)
    talk.play()
    talk.say()
    talk.finish()
    assert {request.model for request in talk.log.main()} == {"gpt-5.5"}


def test_an_update_is_skipped(testbed, own):
    with testbed.settings(update=True):
        talk = own()
        talk.idle(60)
    assert talk.pending() == []


def test_new_hooks_are_asked_about(testbed, own):
    only_new(testbed)
    with testbed.settings(hooks=True):
        talk = own()
        prompt = talk.prompt(60)
        assert prompt["title"] == "Hooks need review"
        assert talk.deny(prompt).status == 200
        talk.idle(60)


def test_hooks_are_trusted(testbed, own):
    only_new(testbed)
    with testbed.settings(hooks=True):
        talk = own()
        prompt = talk.prompt(60)
        assert talk.respond(prompt, selectedOption="trust-all-and-continue").status == 200
        talk.idle(60)


def test_the_nudge_near_a_limit_keeps_the_model(own):
    talk = own()
    talk.idle(60)
    before = talk.get().body["model"]
    talk.play(turns.near_limit("almost used up"))
    talk.say()
    talk.seat.see("almost used up")
    talk.idle()
    assert talk.pending() == []
    assert talk.get().body["model"] == before


def begins_slowly(talk, text):
    """Say something to which the provider takes longer to answer."""
    talk.model.play(turns.slow(text))
    talk.say()


def comes(talk, text):
    """Let the answer come, which closes the menu."""
    talk.model.release()
    talk.seat.see(text)
    talk.idle()


def test_a_slow_answer_is_waited_for_and_no_faster_model_is_taken(testbed, own):
    only_new(testbed)
    talk = own()
    talk.idle(60)
    before = talk.get().body["model"]
    begins_slowly(talk, "thought about")
    talk.seat.see("Giving this request a little extra thought")
    # The menu gives way to the composer, below the line that says the same.
    talk.seat.see("esc to interrupt", "Ask Codex to do anything")
    talk.state("busy")
    assert talk.pending() == []
    comes(talk, "thought about")

    begins_slowly(talk, "once more")
    prompt = talk.prompt()
    assert prompt["title"] == "Giving this request a little extra thought"
    assert "retry with a faster model" in prompt["description"]
    assert talk.respond(prompt, selectedOption="dismiss-and-keep-waiting").status == 200
    talk.state("busy")
    comes(talk, "once more")
    assert talk.get().body["model"] == before


def test_a_menu_about_a_slow_answer_closes_by_itself(testbed):
    only_new(testbed)
    seat, cwd = testbed.sit()
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    begins_slowly(talk, "thought about")
    prompt = talk.prompt()
    comes(talk, "thought about")
    assert talk.resolved(prompt)["state"] in ("answered_elsewhere", "cancelled")
    assert talk.respond(prompt, selectedOption="dismiss-and-keep-waiting").status == 409
    talk.leave()
    seat.close()


@pytest.mark.parametrize("choice", ["keep-waiting", "stop-and-retry"])
def test_a_faster_model_is_taken_only_where_that_is_confirmed(testbed, choice):
    only_new(testbed)
    seat, cwd = testbed.sit()
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    talk.model.play(turns.slow("thought about"), "a faster answer")
    talk.say()
    menu = talk.prompt()
    assert talk.respond(menu, selectedOption="retry-with-a-faster-model").status == 200
    prompt = talk.prompt()
    assert prompt["title"] == "Stop this attempt and retry?"
    assert talk.respond(prompt, selectedOption=choice).status == 200
    if choice == "keep-waiting":
        comes(talk, "thought about")
    else:
        talk.seat.see("a faster answer")
        talk.idle()
        assert talk.log.main()[-1].model == "gpt-6-luna"
    talk.leave()
    seat.close()
