"""Questions of OpenCode: every kind of answer arrives."""

from __future__ import annotations

import pytest
from clawtap_opencode.live import turns
from question_scenarios import (
    FOUR,
    OwnWords,
    chooses_among_long_labels,
    is_answered_in_a_low_pane,
    leaves_pages_at_the_desk,
    takes_long_words,
)

PARTS = turns.choice("Which parts?", "API", "UI", "DB", header="Parts", multi=True)
DEPLOY = turns.choice("Deploy now?", "Yes", "No", header="Deploy")


def said(talk):
    (output,) = talk.outputs()
    return str(output)


@pytest.mark.parametrize("label", ["SQLite", "Postgres", "a file of my own"])
def test_one_answer_is_chosen_or_written(talk, label):
    prompt = talk.do(turns.ask(turns.choice("Which database?", "SQLite", "Postgres")))
    (question,) = prompt["questions"]
    assert (prompt["type"], question["question"]) == ("question", "Which database?")
    assert [option["label"] for option in question["options"]] == ["SQLite", "Postgres"]
    assert question["other"]
    assert talk.answer(prompt, {"0": label}).status == 200
    assert f'"Which database?"="{label}"' in said(talk)
    talk.finish()


@pytest.mark.parametrize("labels", [["API", "DB"], ["UI", "the docs"], ["the docs"]])
def test_several_answers_are_ticked_and_submitted(talk, labels):
    prompt = talk.do(turns.ask(PARTS))
    assert prompt["questions"][0]["multiSelect"]
    assert talk.answer(prompt, {"0": labels}).status == 200
    assert f'"Which parts?"="{", ".join(labels)}"' in said(talk)
    talk.finish()


def test_questions_in_tabs_are_one_prompt_and_are_submitted(talk):
    prompt = talk.do(turns.ask(PARTS, DEPLOY))
    assert len(prompt["questions"]) == 2
    assert talk.answer(prompt, {"0": ["API"], "1": "No"}).status == 200
    answer = said(talk)
    assert '"Which parts?"="API"' in answer
    assert '"Deploy now?"="No"' in answer
    talk.finish()


@pytest.fixture
def unwritten(testbed):
    """A session of whose calls ClawTap reads nothing: its database is not where ClawTap looks."""
    cwd = testbed.project()
    env = {**testbed.env, "XDG_DATA_HOME": str(cwd / "elsewhere")}
    seat = testbed.desk.open(("opencode",), cwd, env)
    seat.see("ctrl+p commands", seconds=testbed.patience)
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    yield talk
    talk.leave()
    seat.close()


@pytest.mark.parametrize(
    ("key", "outcome"), [("2", "answered_elsewhere"), ("Right", "cancelled")], ids=str
)
def test_a_question_that_the_desk_leaves_was_answered_there_only_if_it_was(unwritten, key, outcome):
    turn = turns.ask(turns.choice("Which database?", "SQLite", "Postgres", header="Store"), DEPLOY)
    leaves_pages_at_the_desk(unwritten, turn, key, outcome, then="Deploy now?", review="Review")


def test_a_question_is_dismissed(talk):
    prompt = talk.do(turns.ask(DEPLOY))
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert '"Deploy now?"="' not in str(talk.log.function_responses())


def test_labels_that_take_two_rows_and_differ_in_a_letter_are_told_apart(talk):
    chooses_among_long_labels(
        talk, lambda *labels: turns.ask(turns.choice("Which target?", *labels))
    )


class TestOwnWords(OwnWords):
    turns = turns
    one_field = ("3",)
    field = ("4",)
    saves = "Enter"


@pytest.mark.parametrize("answer", [FOUR[0], FOUR[3], "my own words"])
def test_a_question_whose_keys_left_the_pane_is_answered(own, answer):
    asked = "Which of the four long answers do you want for the work of today?"
    is_answered_in_a_low_pane(own, turns.ask(turns.choice(asked, *FOUR)), answer)


@pytest.mark.parametrize(("asked", "options"), [(turns.ask(DEPLOY), 0), (turns.ask(PARTS), 1)])
def test_long_words_of_ones_own_are_whole(talk, asked, options):
    takes_long_words(talk, asked, options)
