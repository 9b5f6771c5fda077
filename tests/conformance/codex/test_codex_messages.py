"""Messages arrive exactly once, and never in a prompt."""

from __future__ import annotations

import time

import pytest
from clawtap_codex.live import turns
from message_scenarios import brings_the_image_of_a_path


def test_a_message_is_sent_once(talk):
    talk.play()
    reply = talk.post("message", message="just once")
    assert (reply.status, reply.body["status"]) == (200, "sent")
    talk.finish()
    assert talk.log.times_said("just once") == 1


@pytest.mark.parametrize(
    "text",
    [
        "two\nlines",
        "a tab\tand Ünïcødé 漢字 👍",
        "-n --help $(touch oops) `ls` \"'",
        "x" * 2000,
        "look at @README",
    ],
    ids=["lines", "signs", "shell", "long", "file"],
)
def test_a_message_arrives_as_it_was_written(talk, text):
    talk.play()
    assert talk.post("message", message=text).status == 200
    talk.finish()
    (heard,) = talk.log.user_texts()
    assert "".join(text.split()) in "".join(heard.split())
    assert not (talk.cwd / "oops").exists()


DRAWN = {
    "skin-tone": "well done 👍🏽 then",
    "family": "the 👨‍👩‍👧‍👦 is here",
    "decomposed": "cafe\u0301 au lait",
    "zero-width": "zero\u200bwidth and\u200cjoiner",
    "backslash": "ends with a backslash \\",
}


@pytest.mark.parametrize("text", DRAWN.values(), ids=DRAWN)
def test_a_message_that_terminals_draw_otherwise_arrives_once_and_blocks_nothing(talk, text):
    talk.play()
    talk.say(text)
    talk.finish()
    assert talk.log.user_texts() == [text]
    talk.play()
    talk.say()
    talk.finish()


# What opens a list, a help page or another mode when it is typed first into an empty composer.
LEADING = (
    "?",
    "? what is this",
    "@",
    "$",
    "#note",
    "&",
    "/",
    "//",
    "1",
    "y",
    "a\\\nb",
    "  indented",
)


@pytest.mark.parametrize("text", LEADING)
def test_a_message_that_begins_like_a_key_reaches_the_model_as_text(talk, text):
    talk.play()
    talk.say(text)
    talk.finish()
    (heard,) = talk.log.user_texts()
    assert heard.strip() == text.strip()
    talk.play()
    talk.say()
    talk.finish()


def test_a_separator_that_the_composer_does_not_show_is_refused(talk):
    talk.play()
    talk.post("message", message="one\u2028two")
    talk.post("message", message="and this is said")
    talk.finish()
    assert talk.log.user_texts() == ["and this is said"]


@pytest.mark.parametrize("text", ["/nosuch command", "/etc/hosts is a file", "!touch shelled"])
def test_a_message_that_begins_like_a_command_reaches_the_model_as_text(talk, text):
    if text.startswith("!") and talk.testbed.version == "0.116.0":
        pytest.skip("0.116 would run this as a shell command: see the test below")
    talk.play()
    talk.say(text)
    talk.finish()
    assert talk.log.user_texts() == [text]
    assert not (talk.cwd / "shelled").exists()


def test_a_message_that_would_open_a_shell_is_refused(talk):
    if talk.testbed.version != "0.116.0":
        pytest.skip("only 0.116 opens a shell for it whatever comes before")
    talk.play()
    talk.post("message", message="!touch shelled")
    talk.post("message", message="and this is said")
    talk.finish()
    assert talk.log.user_texts() == ["and this is said"]
    assert not (talk.cwd / "shelled").exists()


def test_a_command_of_the_cli_is_run(talk):
    talk.play()
    assert talk.post("message", message="/status").status == 200
    talk.seat.see("Token usage", "Session")
    talk.idle()
    assert talk.log.times_said("/status") == 0


def test_a_message_while_busy_waits_for_its_turn(talk):
    talk.play({"parts": [{"text": "first answer"}], "hold": True})
    talk.say()
    talk.state("busy")
    reply = talk.post("message", message="said while busy")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    talk.model.release()
    talk.finish()
    assert talk.log.times_said("said while busy") == 1


def test_a_message_while_an_answer_streams_waits_for_its_turn(talk):
    words = "\n".join(f"word{number}" for number in range(60))
    talk.play({"parts": [{"text": words, "split": 20}], "chunk_delay": 0.15})
    talk.say()
    talk.seat.see("word5")
    reply = talk.post("message", message="said while streaming")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    talk.finish()
    assert talk.log.times_said("said while streaming") == 1
    assert "word59" in talk.log.main()[-1].body["input"].__str__()


def test_a_message_while_a_prompt_is_open_approves_nothing(talk):
    prompt = talk.do(turns.shell("touch by-message.txt"))
    reply = talk.post("message", message="yes go on")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert not (talk.cwd / "by-message.txt").exists()
    assert talk.deny(prompt).status == 200
    assert talk.log.wait(lambda log: log.times_said("yes go on") == 1)
    talk.finish()
    assert not (talk.cwd / "by-message.txt").exists()


def test_a_draft_at_the_desk_is_left_alone(talk):
    talk.play()
    talk.seat.type("half a thought")
    talk.seat.see("half a thought")
    reply = talk.post("message", message="after the draft")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    assert "after the draft" not in talk.seat.text()
    talk.seat.press("C-c")
    talk.finish()
    assert talk.log.times_said("after the draft") == 1
    assert talk.log.times_said("half a thought") == 0


@pytest.mark.parametrize("draft", ["!", "!ls"])
def test_a_shell_command_that_the_desk_writes_is_left_alone_and_is_no_prompt(talk, draft):
    talk.play()
    talk.seat.type(draft)
    talk.seat.see("!", draft.strip("!"))
    text = f"after {draft} number {time.monotonic_ns()}"
    assert talk.post("message", message=text).status == 202
    with pytest.raises(AssertionError):
        talk.prompt(seconds=4)
    assert talk.pending() == []
    talk.seat.press(*["BSpace"] * len(draft))
    talk.finish()
    assert talk.log.times_said(text) == 1


@pytest.mark.parametrize("searched", ["", "bef"])
def test_a_message_is_not_typed_into_the_search_of_the_desk(talk, searched):
    if talk.testbed.version == "0.116.0":
        pytest.skip("has no search")
    talk.play()
    talk.say("words of before")
    talk.finish()
    talk.seat.press("C-r", *searched)
    talk.seat.see(f"reverse-i-search: {searched}".strip())
    text = f"after the search {time.monotonic_ns()}"
    talk.play()
    assert talk.post("message", message=text).status == 202
    with pytest.raises(AssertionError):
        talk.prompt(seconds=4)
    assert text not in talk.seat.text()
    talk.seat.press("Escape")
    talk.finish()
    assert talk.log.times_said(text) == 1


def test_the_first_message_of_a_new_session_arrives_once(testbed, own):
    testbed.model.play("welcome")
    talk = own(message="the very first")
    talk.seat.see("welcome", seconds=60)
    talk.idle()
    assert talk.log.times_said("the very first") == 1


def test_a_file_that_goes_with_a_message_is_named_by_its_path(talk):
    kept = talk.post("files?name=my note.json", squirrel="seven nuts").body
    talk.play()
    reply = talk.post("message", message="what is in it?", attachments=[kept["id"]])
    assert reply.status in (200, 202)
    talk.finish()
    (heard,) = talk.log.user_texts()
    assert "".join(heard.split()).endswith("whatisinit?" + kept["path"])


@pytest.mark.parametrize("mention", ["{}", "'{}'"], ids=["plain", "quoted"])
def test_the_path_of_an_image_alone_brings_the_image_to_the_model(talk, mention):
    brings_the_image_of_a_path(talk, mention)
