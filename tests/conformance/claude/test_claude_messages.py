"""Messages reach Claude Code's model as they were written, once, whatever is in them."""

from __future__ import annotations

import unicodedata

import pytest

TEXTS = {
    "skin tone": "well done \U0001f44d\U0001f3fd and on",
    "only an emoji": "\U0001f44b\U0001f3fe",
    "family": "a \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 of four",
    "accent of its own": "cafe\u0301 cre\u0300me",
    "zero width": "one\u200btwo\u200cthree\ufeff four",
    "line separator": "one\u2028two",
    "right to left": "\u05e9\u05dc\u05d5\u05dd and \u0645\u0631\u062d\u0628\u0627",
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
    return plain.translate(dict.fromkeys(map(ord, "\u200b\u200c\ufeff")))


@pytest.mark.parametrize("number", range(3))
def test_a_long_line_arrives_whole_while_the_cli_is_still_starting(own, number):
    talk = own()
    talk.idle(60)
    text = f"number {number} " + TEXTS["one long line"]
    talk.play("understood")
    talk.say(text)
    assert talk.log.wait(lambda log: log.times_said(text) == 1), talk.seat.text()
    talk.idle()
