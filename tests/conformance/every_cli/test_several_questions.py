"""Several questions at once are one prompt, whatever happens to it before it is answered."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from every_cli import on_every_version
from patience import until

pytestmark = [on_every_version, pytest.mark.timeout(600)]
# Nothing says while a question is open which come next: each is a prompt of its own.
WITHOUT_THE_CALL = {("gemini", "0.61.0"), ("gemini", "0.34.0")}
# Its model turns a form into one question.
ONE_AT_A_TIME = {("copilot", "1.0.64")}
# Their models may not ask the same twice.
ASKS_ONCE = {"claude", "kimi"}
# Their single questions have no other page.
NO_REVIEW = {"codex", "copilot"}
PLACES, TIMES = ("Paris", "Rome", "Oslo"), ("Dawn", "Noon", "Dusk")


def both(cli, place="Which place?", time="Which time?", times=TIMES):
    """Return a turn that asks two questions."""
    turns = cli.turns
    if cli.name == "copilot":
        fields = {"place": turns.one_of(place, *PLACES), "time": turns.one_of(time, *times)}
        return turns.form("Please choose.", **fields)
    # On Codex an answer goes by the question's name.
    named = "name" if cli.name == "codex" else "header"
    first = turns.choice(place, *PLACES, **{named: "place"})
    return turns.ask(first, turns.choice(time, *times, **{named: "time"}))


@pytest.fixture
def asked(testbed, own):
    """Asks two questions in a session of its own; returns it, and the prompt that has both."""
    if (testbed.cli.name, testbed.version) in WITHOUT_THE_CALL | ONE_AT_A_TIME:
        pytest.skip("each question is a prompt of its own")

    def ask(size=(120, 40), **words):
        talk = own(cols=size[0], rows=size[1])
        talk.idle(90)
        talk.do(both(testbed.cli, **words))
        until(lambda: len(talk.pending()[0]["questions"]) == 2, 10)
        time.sleep(0.5)  # a page that was just painted takes no keys
        return talk, talk.pending()[0]

    return ask


def said(talk):
    """Return what the model got as the answer."""
    return str(talk.outputs()[-1])


def turned(talk, *moves):
    """Return the keys that turn pages on this CLI."""
    tabs = {"Right": "Tab", "Left": "BTab"} if talk.testbed.cli.name == "copilot" else {}
    return [tabs.get(move, move) for move in moves]


def stays(talk, prompt):
    """Return True if the open prompt is still this one."""
    return [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]


def test_what_the_desk_has_answered_is_answered_anew(asked):
    talk, prompt = asked()
    talk.seat.press("Down", "Enter")
    talk.seat.see("Noon")
    time.sleep(1)
    assert stays(talk, prompt)
    reply = talk.answer(prompt, {"0": "Oslo", "1": "Dusk"})
    assert reply.status == 200, (reply, talk.seat.text())
    assert all(label in said(talk) for label in ("Oslo", "Dusk")), said(talk)
    assert "Rome" not in said(talk)
    talk.finish()


def test_they_keep_their_id_when_the_server_is_killed_on_the_second_page(testbed, asked):
    talk, prompt = asked()
    talk.seat.press("Down", "Enter")
    talk.seat.see("Noon")
    time.sleep(1)
    testbed.served.kill()
    testbed.served.start()
    until(lambda: talk.pending() and len(talk.pending()[0]["questions"]) == 2, 20)
    assert stays(talk, prompt), talk.pending()
    reply = talk.answer(prompt, {"0": "Oslo", "1": "Dusk"})
    assert reply.status == 200, (reply, talk.seat.text())
    assert all(label in said(talk) for label in ("Oslo", "Dusk")), said(talk)


def test_of_two_devices_one_answers(asked):
    talk, prompt = asked()
    tried = ({"0": "Paris", "1": "Dawn"}, {"0": "Oslo", "1": "Dusk"})
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(lambda each: talk.answer(prompt, each), tried))
    assert sorted(reply.status for reply in replies) == [200, 409], replies
    won, lost = sorted(zip(replies, tried, strict=True), key=lambda pair: pair[0].status)
    assert all(label in said(talk) for label in won[1].values()), said(talk)
    assert not any(label in said(talk) for label in lost[1].values()), said(talk)
    talk.finish()


def test_two_of_the_same_words_get_their_own_answers(testbed, asked):
    if testbed.cli.name in ASKS_ONCE:
        pytest.skip("its model may not")
    talk, prompt = asked(place="Which one?", time="Which one?", times=PLACES)
    reply = talk.answer(prompt, {"0": "Oslo", "1": "Rome"})
    assert reply.status == 200, (reply, talk.seat.text())
    answers = said(talk)
    if testbed.cli.name == "codex":
        # It names the questions, in any order.
        named = json.loads(answers)["answers"]
        answers = f"{named['place']} {named['time']}"
    assert all(label in answers for label in ("Oslo", "Rome")), answers
    assert answers.index("Oslo") < answers.index("Rome")
    talk.finish()


def test_they_are_answered_in_a_low_pane(asked):
    talk, prompt = asked(size=(60, 15))
    reply = talk.answer(prompt, {"0": "Oslo", "1": "Dusk"})
    assert reply.status == 200, (reply, talk.seat.text())
    assert all(label in said(talk) for label in ("Oslo", "Dusk")), said(talk)
    talk.finish()


def test_no_answer_is_mixed_up_while_the_desk_turns_pages(asked):
    talk, prompt = asked()
    with ThreadPoolExecutor(1) as pool:
        answering = pool.submit(talk.answer, prompt, {"0": "Oslo", "1": "Dusk"})
        for _ in range(4):
            talk.seat.press(*turned(talk, "Right", "Left"))
        reply = answering.result()
    if reply.status == 200:
        assert all(label in said(talk) for label in ("Oslo", "Dusk")), said(talk)
    else:
        assert reply.body["code"] in ("not_delivered", "prompt_changed"), reply
        assert talk.pending(), talk.seat.text()


@pytest.mark.parametrize("moves", [("Right",), ("Down", "Right"), ("Right", "Right")], ids="+".join)
def test_they_are_answered_though_the_desk_has_turned_the_page(asked, moves):
    talk, prompt = asked()
    talk.seat.press(*turned(talk, *moves))
    time.sleep(1)
    assert stays(talk, prompt)
    reply = talk.answer(prompt, {"0": "Rome", "1": "Dusk"})
    assert reply.status == 200, (reply, talk.seat.text())
    assert all(label in said(talk) for label in ("Rome", "Dusk")), said(talk)
    talk.finish()


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
@pytest.mark.parametrize("moves", [("Right",), ("Down", "Right", "Left")], ids="+".join)
def test_a_single_question_stays_though_the_desk_turns_to_its_review(testbed, own, moves, several):
    if testbed.cli.name in NO_REVIEW or (testbed.cli.name, testbed.version) in WITHOUT_THE_CALL:
        pytest.skip("it has no other page")
    turns = testbed.cli.turns
    talk = own()
    talk.idle(90)
    boxes = {"multi": True} if several else {}
    prompt = talk.do(turns.ask(turns.choice("Which place?", *PLACES, header="place", **boxes)))
    time.sleep(1)  # a page that was just painted takes no keys
    talk.seat.press(*moves)
    time.sleep(1)
    assert stays(talk, prompt), talk.pending()
    assert talk.pending()[0]["questions"][0]["question"] == "Which place?"
    reply = talk.answer(prompt, {"0": ["Rome"] if several else "Rome"})
    assert reply.status == 200, (reply, talk.seat.text())
    assert "Rome" in said(talk)
    talk.finish()
