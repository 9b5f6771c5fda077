"""Scenarios of questions that several CLIs go through."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest
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


def chooses_none_of_labels_that_read_alike(talk: CliSession, ask: Callable[..., Any]) -> None:
    """Labels that differ in a mark that nobody sees are refused; another one is chosen."""
    prompt = talk.do(ask("Alpha", "Beta\ufe0f", "Beta"))
    offered = [option["label"] for option in prompt["questions"][0]["options"]]
    reply = talk.answer(prompt, {"0": "Beta"})
    assert reply.status == 422, (reply, offered)
    assert "more than once" in reply.body["error"]
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.answer(prompt, {"0": "Alpha"}).status == 200
    (output,) = talk.outputs()
    assert "Alpha" in str(output)
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


def takes_long_words(talk: CliSession, ask: Any, options: int, count: int = 200) -> None:
    """Words that take many rows arrive whole, alone or together with the option "UI"."""
    words = " ".join(f"{at:05d} step" for at in range(count))
    prompt = talk.do(ask)
    reply = talk.answer(prompt, {"0": ["UI", words] if options else words})
    assert reply.status == 200, (reply, talk.seat.text())
    (output,) = talk.outputs()
    assert words in str(output)
    assert ("UI" in str(output)) == bool(options)
    talk.finish()


FOUR = tuple(f"{letter} is one of the answers" for letter in "ABCD")
LOW = {"cols": 60, "rows": 15}
"""A pane without room for a question of two rows and four answers."""


def is_answered_in_a_low_pane(own: Callable[..., CliSession], ask: Any, answer: Any) -> None:
    """A question that does not fit its pane is answered with exactly this."""
    talk = own(**LOW)
    talk.idle(90)
    prompt = talk.do(ask)
    assert (prompt["type"], len(prompt["questions"])) == ("question", 1), talk.seat.text()
    talk.until(lambda _: len(talk.pending()[0]["questions"][0]["options"]) == len(FOUR))
    reply = talk.answer(prompt, {"0": answer})
    assert reply.status == 200, (reply, talk.seat.text())
    (output,) = talk.outputs()
    given = [answer] if isinstance(answer, str) else answer
    assert [label for label in FOUR if label in str(output)] == [a for a in given if a in FOUR]
    assert all(label in str(output) for label in given), output
    talk.finish()


DESK = "words of the desk "
ANSWERS = (["UI"], ["UI", "a film"], ["a film"])
"""Answers to a question with boxes, one of them "UI", in which the desk has written words."""


def press_and_see(talk: CliSession, *keys: str) -> None:
    """Press keys at the desk one after another, and see what each of them does.

    A dialog that was just painted may take no key yet, so an arrow is pressed until it moves the
    cursor. While a frame is painted the cursor's row may be cut: that is no move.
    """
    for key in keys:
        shows = _rows_with_cursor if key in ("Down", "Up") else _without_spinner
        before, presses, moved = until(lambda shows=shows: shows(talk)), 0, False
        while not moved:
            assert presses < 5, (key, talk.seat.text())
            talk.seat.press(key)
            presses += 1
            with suppress(AssertionError):
                moved = until(lambda: shows(talk) not in ([], before), 5)  # noqa: B023


def type_and_see(talk: CliSession, text: str) -> None:
    """Type into a field at the desk: one that just opened may take nothing yet."""
    for _ in range(5):
        talk.seat.type(text)
        with suppress(AssertionError):
            talk.seat.see(text[-len(DESK) :].strip(), seconds=10)
            return
    raise AssertionError(talk.seat.text())


def _rows_with_cursor(talk: CliSession) -> list[str]:
    # The rows of a form of GitHub Copilot CLI have no numbers.
    text = talk.seat.text()
    _, heading, form = text.rpartition("needs information.")
    if heading:
        return re.findall(r"(?m)^ ❯ (\S.*)", form)
    return re.findall(r"❯ (?:\[.\] )?(\d+)\.", text)


def _without_spinner(talk: CliSession) -> str:
    return re.sub("[\u2800-\u28ff]", "", talk.seat.text())


def replaces_words_of_the_desk(
    talk: CliSession, ask: Any, answer: Any, *keys: str, text: str = DESK, saves: str = ""
) -> None:
    """An answer has none of the words that the desk wrote into the field that `keys` open."""
    prompt = talk.do(ask)
    press_and_see(talk, *keys)
    type_and_see(talk, text)
    if saves:
        press_and_see(talk, saves)
    reply = talk.answer(prompt, {"0": answer})
    assert reply.status == 200, (reply, talk.seat.text())
    (output,) = talk.outputs()
    labels = [answer] if isinstance(answer, str) else answer
    assert all(label in str(output) for label in labels), output
    assert DESK.strip() not in str(output)
    talk.finish()


class OwnWords:
    """Words of one's own, and of the desk, in questions that the CLI asks with a tool of its own.

    A suite gives its `turns`, the keys that reach the text field (`one_field`, and `field` of the
    list with boxes), and the key that `saves` there what the desk has written.
    """

    turns: Any
    one_field: ClassVar[tuple[str, ...]]
    field: ClassVar[tuple[str, ...]]
    saves: ClassVar[str]

    @property
    def one(self) -> Any:
        return self.turns.ask(self.turns.choice("Which database?", "SQLite", "Postgres"))

    @property
    def several(self) -> Any:
        asked = self.turns.choice("Which parts?", "API", "UI", "DB", header="Parts", multi=True)
        return self.turns.ask(asked)

    def test_words_that_end_in_a_backslash_are_sent(self, talk):
        takes_words_that_end_in_a_backslash(talk, self.one)

    def test_words_that_end_in_a_backslash_are_sent_with_ticked_answers(self, talk):
        takes_words_that_end_in_a_backslash(talk, self.several, alone=False)

    @pytest.mark.parametrize("answer", ANSWERS)
    @pytest.mark.parametrize("saved", [False, True])
    def test_words_of_the_desk_are_replaced_in_a_list_with_boxes(self, talk, answer, saved):
        saves = self.saves if saved else ""
        replaces_words_of_the_desk(talk, self.several, answer, *self.field, saves=saves)

    @pytest.mark.parametrize("answer", ["SQLite", "a film"])
    @pytest.mark.parametrize("times", [1, 10])
    def test_words_of_the_desk_are_replaced_by_one_answer(self, talk, answer, times):
        text = DESK * times
        replaces_words_of_the_desk(talk, self.one, answer, *self.one_field, text=text)


def starts_without_transcripts(
    start: Callable[..., CliSession], cwd: Path, transcripts: Path
) -> CliSession:
    """Start an idle session of whose calls no transcript tells.

    `transcripts` is where its CLI writes them: a link out of the CLI's folder is not read.
    """
    elsewhere = cwd / "elsewhere"
    elsewhere.mkdir()
    transcripts.parent.mkdir(parents=True, exist_ok=True)
    transcripts.symlink_to(elsewhere)
    talk = start(cwd=cwd)
    talk.idle(60)
    return talk


def leaves_pages_at_the_desk(
    talk: CliSession, turn: Any, key: str, outcome: str, *, then: str, review: str
) -> None:
    """Of two pages, the first left by `key` ends with `outcome`, the other one unanswered.

    `then` is the second question, `review` the title of the page after it.
    """
    first = talk.do(turn)
    time.sleep(1)  # a page that was just painted takes no keys
    talk.seat.press(key)
    second = talk.prompt()
    assert [question["question"] for question in second["questions"]] == [then]
    time.sleep(1)
    talk.seat.press("Right")
    last = talk.prompt()
    assert last["title"] == review
    ended = [talk.resolved(prompt)["resolution"] for prompt in (first, second)]
    assert [each["outcome"] for each in ended] == [outcome, "cancelled"]
    assert {(each["by"], each["device"]) for each in ended} == {("someone", "desk")}
    assert talk.deny(last).status == 200
    talk.idle()
