"""Scenarios of messages that every CLI of a chat-completions model goes through."""

from __future__ import annotations

import base64
import random
from typing import Any

from cli_testbed import CliSession
from pictures import picture

TEXTS = {
    "one line": "hello, this is one line",
    "two lines": "the first line\nand the second",
    "a folded paste": "\n".join(f"line {number} of a longer text" for number in range(8)),
    "a long line": "a word and another one, " * 30 + "the end",
    "other letters": "Grüße, 世界 and 👍",
    "like a command": "/home/me is my folder",
    "like a shell": "!important words",
    "a file at the end": "look at @README.md",
    "a backslash at the end": "a path ends with \\",
}


def arrives_once(talk: CliSession, text: str) -> None:
    """A message reaches the model once, as it was written."""
    talk.play()
    talk.say(text)
    assert talk.log.wait(lambda log: log.main())
    talk.finish()
    assert talk.log.times_said(text.strip()) == 1


def waits_for_the_turn(talk: CliSession) -> None:
    """A message to a busy session is sent after the turn."""
    talk.play({"parts": [{"text": "working on it"}], "hold": True})
    talk.say("the first task")
    talk.state("busy")
    reply = talk.post("message", message="the second task")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    talk.model.release()
    assert talk.log.wait(lambda log: log.times_said("the second task") == 1)
    talk.finish()


def leaves_a_draft_alone(talk: CliSession) -> None:
    """Nothing is typed over a draft of the desk."""
    talk.play()
    talk.seat.type("my own draft")
    talk.seat.see("my own draft")
    reply = talk.post("message", message="from the phone")
    assert (reply.status, reply.body["status"]) == (202, "queued")
    talk.seat.press("C-u")
    assert talk.log.wait(lambda log: log.times_said("from the phone") == 1)
    assert talk.log.times_said("my own draft") == 0
    talk.finish()


def answers_no_prompt(talk: CliSession, turns: Any) -> None:
    """A message waits while a prompt is open."""
    prompt = talk.do(turns.shell("touch unasked.txt"))
    reply = talk.post("message", message="what is this about?")
    assert reply.body["status"] == "queued"
    assert not (talk.cwd / "unasked.txt").exists()
    assert talk.deny(prompt).status == 200
    assert talk.log.wait(lambda log: log.times_said("what is this about?") == 1)
    talk.idle()


def refuses_what_ends_the_cli(talk: CliSession, text: str) -> None:
    """A message of a word that ends the CLI is refused; among others the word is one of them."""
    reply = talk.post("message", message=text)
    assert reply.status == 422, reply
    talk.play()
    following = talk.say(f"{text} is a word")
    talk.finish()
    assert talk.log.times_said(following) == 1


def brings_the_image_of_a_path(talk: CliSession, mention: str) -> None:
    """A message that is nothing but the path of an image, as in `mention`, brings the image."""
    image = picture(random.Random(mention))
    path = talk.cwd / "my-shot.png"
    path.write_bytes(image)
    talk.play()
    talk.say(mention.format(path))
    talk.finish()
    assert str(talk.log.main()[-1].body).count(base64.b64encode(image).decode()) == 1
