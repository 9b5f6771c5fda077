"""Several questions at once: the desk turns to another of them, and they stay one prompt."""

from __future__ import annotations

import time

import pytest
from every_cli import on_every_version
from patience import until

pytestmark = on_every_version
# Nothing says while a question is open which come next: each is a prompt of its own.
WITHOUT_THE_CALL = {("gemini", "0.61.0"), ("gemini", "0.34.0")}
# Its model turns a form into one question.
ONE_AT_A_TIME = {("copilot", "1.0.64")}
PLACES, TIMES = ("Paris", "Rome", "Oslo"), ("Dawn", "Noon", "Dusk")


def where_and_when(cli):
    """Return a turn that asks two questions."""
    turns = cli.turns
    if cli.name == "copilot":
        place, time = turns.one_of("Which place?", *PLACES), turns.one_of("Which time?", *TIMES)
        return turns.form("Please choose.", place=place, time=time)
    # On Codex an answer goes by the question's name.
    named = "name" if cli.name == "codex" else "header"
    place = turns.choice("Which place?", *PLACES, **{named: "place"})
    return turns.ask(place, turns.choice("Which time?", *TIMES, **{named: "time"}))


def asked_whole(talk, count):
    """Return the open prompt once its call is known, and with it how many questions there are."""
    until(lambda: len(talk.pending()[0]["questions"]) == count, 10)
    return talk.pending()[0]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("moves", [("Right",), ("Down", "Right"), ("Right", "Right")], ids="+".join)
def test_questions_are_answered_though_the_desk_has_turned_the_page(testbed, own, moves):
    if (testbed.cli.name, testbed.version) in WITHOUT_THE_CALL | ONE_AT_A_TIME:
        pytest.skip("each question is a prompt of its own")
    talk = own()
    talk.idle(90)
    talk.do(where_and_when(testbed.cli))
    prompt = asked_whole(talk, 2)
    time.sleep(0.5)  # a page that was just painted takes no keys
    turns_page = "Tab" if testbed.cli.name == "copilot" else "Right"
    talk.seat.press(*(turns_page if move == "Right" else move for move in moves))
    time.sleep(1)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    reply = talk.answer(prompt, {"0": "Rome", "1": "Dusk"})
    assert reply.status == 200, (reply, talk.seat.text())
    said = str(talk.outputs()[-1])
    assert all(label in said for label in ("Rome", "Dusk")), said
    talk.finish()
