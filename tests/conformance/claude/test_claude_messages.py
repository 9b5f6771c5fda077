"""Messages reach Claude Code's model as they were written, once, whatever is in them."""

from __future__ import annotations

import time
import unicodedata

import pytest
from clawtap_claude.live import turns
from message_scenarios import refuses_what_ends_the_cli

TEXTS = {
    "skin tone": "well done \U0001f44d\U0001f3fd and on",
    "only an emoji": "\U0001f44b\U0001f3fe",
    "family": "a \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 of four",
    "accent of its own": "cafe\u0301 cre\u0300me",
    "zero width": "one\u200btwo\u200cthree\ufeff four",
    "line separator": "one\u2028two",
    "right to left": "\u05e9\u05dc\u05d5\u05dd and \u0645\u0631\u062d\u0628\u0627",
    "direction overridden": "use \u202etxt.exe\u202c instead",
    "direction isolated": "one \u2066two\u2069 three",
    "trailing backslash": "look into C:\\temp\\",
    "exclamation": "! is not a shell here",
    "a path": "/etc/hosts is what I mean",
    "many lines": "\n".join(f"line {number} of many" for number in range(55)),
    "very many lines": "\n".join(f"line {number} of very many" for number in range(250)),
    "equal lines": "\n".join(["the same again"] * 25 + ["and the end"]),
    "blank lines": "def first():\n\n\n\n\n    return 1\n\n\n\nfirst()",
    "one long line": "word after word " * 150 + "end",
    "a line taller than the pane": "word after word " * 310 + "end",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_message_arrives_as_written_and_the_next_follows(talk, name):
    text = TEXTS[name]
    talk.play("understood")
    talk.say(text)
    assert talk.log.wait(lambda log: said(log, text) == 1), talk.seat.text()
    assert not talk.log.times_said("<pasted_content"), "quoted"
    talk.idle()
    talk.play()
    following = talk.say()
    talk.finish()
    assert talk.log.times_said(following) == 1
    assert said(talk.log, text) == 1


def said(log, text):
    """How often the model heard it; 2.1.330 cleans what it reads, as `heard` says."""
    return sum(log.times_said(form) for form in {text, heard(text)})


def heard(text):
    """The text as 2.1.330 gives it to its model: composed, a line's end for a separator, and
    without what has no width."""
    plain = unicodedata.normalize("NFC", text).replace("\u2028", "\n")
    return plain.translate(dict.fromkeys(map(ord, "\u200b\u200c\ufeff\u202c\u202e\u2066\u2069")))


@pytest.mark.parametrize("number", range(3))
def test_a_long_line_arrives_whole_while_the_cli_is_still_starting(own, number):
    talk = own()
    talk.idle(60)
    text = f"number {number} " + TEXTS["one long line"]
    talk.play("understood")
    talk.say(text)
    assert talk.log.wait(lambda log: log.times_said(text) == 1), talk.seat.text()
    talk.idle()


def test_a_message_is_seen_to_leave_though_the_draft_that_was_set_aside_comes_back(own):
    talk = own()
    talk.idle(60)
    talk.play()
    talk.seat.type("a draft of the desk")
    talk.seat.see("a draft of the desk")
    talk.seat.press("C-s")
    talk.seat.see_gone("a draft of the desk")
    # It is queued for a moment where the server has not seen the draft leave yet.
    said = talk.say("sent over the stash")
    talk.events.wait("message_sent", where=lambda data: data["message"] == said)
    talk.seat.see("a draft of the desk")
    assert talk.log.times_said(said) == 1


@pytest.mark.parametrize("in_turn", [False, True])
def test_while_the_desk_writes_in_an_editor_the_session_waits_and_nothing_is_typed(own, in_turn):
    talk = own()
    talk.idle(60)
    if in_turn:
        talk.begin(turns.shell("touch edited.txt"), seconds=4.0)
    talk.seat.press("C-g")
    assert talk.prompt()["type"] == "unknown"
    assert talk.post("message", message="not for the editor").status == 202
    assert "not for the editor" not in talk.seat.text()
    talk.seat.type(":q!")
    talk.seat.press("Enter")
    if in_turn:
        prompt = talk.prompt()
        assert prompt["toolInput"]["command"] == "touch edited.txt"
        assert talk.approve(prompt).status == 200
    else:
        talk.play()
    talk.finish()
    assert talk.log.times_said("not for the editor") == 1


@pytest.mark.parametrize("text", ["exit", ":wq"])
def test_a_message_that_would_end_the_cli_is_refused(talk, text):
    refuses_what_ends_the_cli(talk, text)


def test_help_below_the_composer_hides_no_turn(own):
    talk = own()
    talk.idle(60)
    talk.begin(turns.shell("touch helped.txt"), seconds=3.0)
    talk.seat.type("?")
    talk.seat.see("! for ")  # shell mode; 2.1.85 says bash mode
    prompt = talk.prompt()
    states = [event.data["state"] for event in talk.events.seen if event.type == "session_status"]
    assert "idle" not in states[states.index("busy") :]
    assert talk.approve(prompt).status == 200
    talk.finish()


def test_a_message_behind_the_transcript_that_the_desk_opened_says_what_it_waits_for(talk):
    talk.play()
    talk.say()
    talk.finish()
    talk.seat.press("C-o")
    talk.seat.see("detailed transcript")
    talk.idle()
    talk.play()
    reply = talk.post("message", message="behind the transcript")
    why = "something else than the composer is open in the terminal; close it there"
    assert (reply.status, reply.body.get("detail")) == (202, why), (reply, talk.seat.text())
    talk.seat.press("C-o")
    talk.finish()
    assert talk.log.times_said("behind the transcript") == 1
    assert "detail" not in talk.get().body


def test_a_prompt_behind_the_transcript_that_the_desk_opened_is_told_of(own):
    talk = own()
    talk.idle(60)
    talk.begin(turns.shell("touch behind.txt"), seconds=3.0)
    talk.seat.press("C-o")
    talk.seat.see("detailed transcript")
    assert talk.prompt()["type"] == "unknown"
    talk.seat.press("C-o")
    prompt = talk.prompt()
    talk.seat.press("C-o")
    talk.seat.see("detailed transcript")
    time.sleep(3)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 502  # the desk reads, and no key is pressed
    assert not (talk.cwd / "behind.txt").exists()
    talk.seat.press("C-o")
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "behind.txt").exists()


def test_no_message_is_typed_into_a_search_that_the_desk_opened(own):
    talk = own()
    talk.idle(60)
    talk.play()
    talk.say("find me again")
    talk.finish()
    talk.seat.press("C-r")
    talk.seat.see("earch prompts")
    talk.play()
    assert talk.post("message", message="not for the search").status == 202
    talk.seat.type("find")
    time.sleep(2)
    assert "not for" not in talk.seat.text()
    talk.seat.press("C-c" if talk.testbed.version == "2.1.85" else "Escape")
    talk.seat.see_gone("earch prompts")
    talk.finish()
    assert talk.log.times_said("not for the search") == 1
