"""Questions of OpenCode: every kind of answer arrives."""

from __future__ import annotations

import pytest
from clawtap_opencode.live import turns
from question_scenarios import (
    ANSWERS,
    DESK,
    chooses_among_long_labels,
    replaces_words_of_the_desk,
    takes_words_that_end_in_a_backslash,
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


def test_questions_in_tabs_come_one_after_another_and_are_submitted(talk):
    first = talk.do(turns.ask(PARTS, DEPLOY))
    assert first["position"] == {"index": 1, "total": 2}
    assert talk.answer(first, {"0": ["API"]}).status == 200
    second = talk.prompt()
    assert second["position"] == {"index": 2, "total": 2}
    assert talk.answer(second, {"0": "No"}).status == 200
    answer = said(talk)
    assert '"Which parts?"="API"' in answer
    assert '"Deploy now?"="No"' in answer
    talk.finish()


def test_a_question_is_dismissed(talk):
    prompt = talk.do(turns.ask(DEPLOY))
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert '"Deploy now?"="' not in str(talk.log.function_responses())


def test_labels_that_take_two_rows_and_differ_in_a_letter_are_told_apart(talk):
    chooses_among_long_labels(
        talk, lambda *labels: turns.ask(turns.choice("Which target?", *labels))
    )


def test_words_that_end_in_a_backslash_are_sent(talk):
    asked = turns.ask(turns.choice("Which database?", "SQLite", "Postgres"))
    takes_words_that_end_in_a_backslash(talk, asked)


def test_words_that_end_in_a_backslash_are_sent_with_ticked_answers(talk):
    takes_words_that_end_in_a_backslash(talk, turns.ask(PARTS), alone=False)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("saves", ["", "Enter"])
def test_words_of_the_desk_are_replaced_in_a_list_with_boxes(talk, answer, saves):
    asked = turns.ask(PARTS)
    replaces_words_of_the_desk(talk, asked, answer, "4", saves=saves)


@pytest.mark.parametrize("answer", ["SQLite", "a film"])
@pytest.mark.parametrize("times", [1, 10])
def test_words_of_the_desk_are_replaced_by_one_answer(talk, answer, times):
    asked = turns.ask(turns.choice("Which database?", "SQLite", "Postgres"))
    replaces_words_of_the_desk(talk, asked, answer, "3", text=DESK * times)
