"""Messages arrive exactly once, and never in a prompt."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from clawtap_gemini.live import turns

DRAWN_OTHERWISE = (
    "thumbs 👍🏽 up",
    "a family 👨‍👩‍👧‍👦 of four",
    "cafe\u0301 in two signs",
    "zero\u200bwidth",
    "not\u200cjoined",
    "one\u2028two",
    "it ends with a \\",
    "two lines \\\nwith a \\",
    "ends with a blank sign \u200b",
    "🇩🇪 a flag, ☂️ an umbrella, 1️⃣ a key",
    "ä ö ü ß é ñ 漢字 עברית عربي हिन्दी",
    "!ls is no command",
    "? is no question",
    "/nosuch is no command",
    "# a heading",
    "@nosuch.txt and ends with @nosuch",
)


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
        " ".join(f"word{n}" for n in range(300)),
        "\n".join(f"line {n}" for n in range(40)),
        "a row like the footer\n/model",
    ],
    ids=["lines", "signs", "shell", "long", "many-lines", "like-the-footer"],
)
def test_a_message_arrives_as_it_was_written(talk, text):
    talk.play()
    assert talk.post("message", message=text).status == 200
    talk.finish()
    (heard,) = talk.log.user_texts()
    assert text.replace("\t", " ").split() == heard.replace("\t", " ").split()[-len(text.split()) :]
    assert not (talk.cwd / "oops").exists()


@pytest.mark.parametrize("vim", [False, True], ids=["plain", "vim"])
def test_what_a_cli_draws_otherwise_arrives_or_is_refused_and_blocks_nothing(testbed, vim):
    with testbed.settings(vim=vim):
        talk = testbed.start()
        talk.idle(60)
    for text in DRAWN_OTHERWISE:
        talk.play()
        reply = talk.post("message", message=text)
        if reply.status == 422:
            assert reply.body["error"], reply
        else:
            assert (reply.status, reply.body.get("status")) == (200, "sent"), (text, reply)
            talk.finish()
            heard = {each.strip() for each in talk.log.user_texts()}
            conversation = talk.log.main()[-1].body.get("contents")
            assert (heard, talk.log.times_said(text)) == ({text}, 1), (text, heard, conversation)
        talk.play()
        following = talk.say()
        talk.finish()
        assert talk.log.times_said(following) == 1
    talk.leave()


def test_a_message_while_busy_waits_for_its_turn(talk):
    talk.play({"parts": [{"text": "first answer"}], "hold": True})
    talk.say()
    talk.state("busy")
    reply = talk.post("message", message="said while busy")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    assert talk.get().body["queued"] == 1
    talk.model.release()
    talk.finish()
    assert talk.log.times_said("said while busy") == 1


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


def test_a_queued_message_can_be_changed_and_taken_back(talk):
    talk.play({"parts": [{"text": "first answer"}], "hold": True})
    talk.say()
    talk.state("busy")
    one = talk.post("message", message="will be changed").body["messageId"]
    two = talk.post("message", message="will be taken back").body["messageId"]
    client, queue = talk.testbed.client, f"{talk.path}/queue"
    assert client.patch(f"{queue}/{one}", {"message": "was changed"}).status == 200
    assert client.delete(f"{queue}/{two}").status in (200, 204)
    talk.model.release()
    talk.finish()
    assert talk.log.times_said("was changed") == 1
    assert talk.log.times_said("will be") == 0


def test_a_draft_at_the_desk_is_left_alone(talk):
    talk.play()
    talk.seat.type("half a thought")
    talk.seat.see("half a thought")
    reply = talk.post("message", message="after the draft")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    assert "after the draft" not in talk.seat.text()
    talk.seat.press("C-u")
    talk.finish()
    assert talk.log.times_said("after the draft") == 1
    assert talk.log.times_said("half a thought") == 0


def test_the_first_message_of_a_new_session_arrives_once(testbed, own):
    testbed.model.play("welcome")
    talk = own(message="the very first")
    talk.seat.see("welcome", seconds=60)
    talk.idle()
    assert talk.log.times_said("the very first") == 1


def test_a_file_that_goes_with_a_message_is_read_by_the_cli(talk):
    # While 0.61 starts, it queues messages, and of a queued one the model gets the path only.
    talk.play()
    talk.say()
    talk.finish()
    kept = talk.post("files?name=my note.json", squirrel="seven nuts").body
    talk.play()
    reply = talk.post("message", message="what is in it?", attachments=[kept["id"]])
    assert reply.status in (200, 202)
    asked = talk.prompt()
    assert kept["path"] in json.dumps(asked)
    assert talk.approve(asked).status == 200
    talk.finish()
    heard = json.dumps(talk.log.main()[-1].body)
    assert heard.count("what is in it?") == 1
    assert "seven nuts" in heard


@pytest.mark.parametrize("text", ["what do they show?", "two lines\nof words", ""])
def test_images_that_go_with_a_message_reach_the_model(talk, text):
    talk.play()
    talk.say()
    talk.finish()
    names = ("one", "the other")
    kept = [talk.post(f"files?name={name}.png", image=f"{name}: {text}").body for name in names]
    talk.play()
    reply = talk.post("message", message=text, attachments=[each["id"] for each in kept])
    assert reply.status in (200, 202)
    assert talk.approve(talk.prompt()).status == 200
    talk.finish()
    heard = json.dumps(talk.log.main()[-1].body)
    for each in kept:
        assert heard.count(base64.b64encode(Path(each["path"]).read_bytes()).decode()) == 1
    assert talk.log.times_said(text) == 1 or not text
