"""Scenarios of questions that several CLIs go through."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cli_testbed import CliSession
from patience import until

_LONG = (
    "Use the same long name for the deployment target of the production cluster in the region,"
    " with the suffix that ends in letter "
)


def chooses_among_long_labels(talk: CliSession, ask: Callable[..., Any]) -> None:
    """Of labels that take two rows and differ in their last letter, the chosen one is sent."""
    labels = [f"{_LONG}{letter}" for letter in "ABC"]
    prompt = talk.do(ask(*labels))
    (question,) = prompt["questions"]
    assert [option["label"] for option in question["options"]] == labels
    assert talk.answer(prompt, {"0": labels[1]}).status == 200
    (output,) = talk.outputs()
    assert [label in str(output) for label in labels] == [False, True, False]
    talk.finish()


def takes_words_that_end_in_a_backslash(talk: CliSession, ask: Any, *, alone: bool = True) -> None:
    """Words that end in a backslash, which makes a line break of Enter in some fields, are sent."""
    prompt = talk.do(ask)
    words = "C:\\my files\\"
    reply = talk.answer(prompt, {"0": words if alone else ["UI", words]})
    assert reply.status == 200, (reply, talk.seat.text())
    (output,) = talk.outputs()
    assert words in re.sub(r"\\+", r"\\", str(output))
    talk.finish()


DESK = "words of the desk "
ANSWERS = (["UI"], ["UI", "a film"], ["a film"])
"""Answers to a question with boxes, one of them "UI", in which the desk has written words."""


def press_and_see(talk: CliSession, *keys: str, text: str = "") -> None:
    """Press keys at the desk one after another, or type a text, and see each change the pane."""
    for key in keys or (None,):
        before = talk.seat.text()
        if key is None:
            talk.seat.type(text)
            talk.seat.see(text[-len(DESK) :].strip())
        else:
            talk.seat.press(key)
            until(lambda before=before: talk.seat.text() != before)


def replaces_words_of_the_desk(
    talk: CliSession, ask: Any, answer: Any, *keys: str, text: str = DESK, saves: str = ""
) -> None:
    """An answer has none of the words that the desk wrote into the field that `keys` open."""
    prompt = talk.do(ask)
    press_and_see(talk, *keys)
    press_and_see(talk, text=text)
    if saves:
        press_and_see(talk, saves)
    reply = talk.answer(prompt, {"0": answer})
    assert reply.status == 200, (reply, talk.seat.text())
    (output,) = talk.outputs()
    labels = [answer] if isinstance(answer, str) else answer
    assert all(label in str(output) for label in labels), output
    assert DESK.strip() not in str(output)
    talk.finish()
