"""Questions and plans of Qwen Code: every kind of answer arrives."""

from __future__ import annotations

import re

import pytest
from clawtap_qwen.live import turns
from question_scenarios import (
    FOUR,
    LOW,
    OwnWords,
    chooses_among_long_labels,
    is_answered_in_a_low_pane,
    leaves_pages_at_the_desk,
    starts_without_transcripts,
    takes_long_words,
)

PARTS = turns.choice("Which parts?", "API", "UI", "DB", header="Parts", multi=True)
DEPLOY = turns.choice("Deploy now?", "Yes", "No", header="Deploy")
PLAN = "# The plan\n\n1. Do this\n2. Do that\n"


def said(talk):
    (output,) = talk.outputs()
    return str(output)


@pytest.mark.parametrize("label", ["SQLite", "Postgres", "a file of my own"])
def test_one_answer_is_chosen_or_written(talk, label):
    choice = turns.choice("Which database?", "SQLite", "Postgres", header="Store")
    prompt = talk.do(turns.ask(choice))
    (question,) = prompt["questions"]
    assert (prompt["type"], question["question"]) == ("question", "Which database?")
    assert [option["label"] for option in question["options"]] == ["SQLite", "Postgres"]
    assert question["other"]
    assert talk.answer(prompt, {"0": label}).status == 200
    assert f"**Store**: {label}" in said(talk)
    talk.finish()


@pytest.mark.parametrize("labels", [["API", "DB"], ["UI", "the docs"], ["the docs"]])
def test_several_answers_are_ticked_and_submitted(talk, labels):
    prompt = talk.do(turns.ask(PARTS))
    assert prompt["questions"][0]["multiSelect"]
    assert talk.answer(prompt, {"0": labels}).status == 200
    assert f"**Parts**: {', '.join(labels)}" in said(talk)
    talk.finish()


def test_questions_in_tabs_are_answered_in_one_go(talk):
    talk.do(turns.ask(PARTS, DEPLOY))
    talk.until(lambda _: len(talk.pending()[0]["questions"]) == 2)
    (prompt,) = talk.pending()
    assert talk.answer(prompt, {"0": ["API", "the docs"], "1": "No"}).status == 200
    answer = said(talk)
    assert "**Parts**: API, the docs" in answer
    assert "**Deploy**: No" in answer
    talk.finish()


@pytest.fixture
def unwritten(testbed, own):
    """A session of whose calls no transcript tells."""
    cwd = testbed.project()
    transcripts = testbed.home / ".qwen" / "projects" / re.sub(r"\W", "-", str(cwd))
    return starts_without_transcripts(own, cwd, transcripts)


@pytest.mark.parametrize(
    ("key", "outcome"), [("2", "answered_elsewhere"), ("Right", "cancelled")], ids=str
)
def test_a_question_that_the_desk_leaves_was_answered_there_only_if_it_was(unwritten, key, outcome):
    store = turns.choice("Which database?", "SQLite", "Postgres", header="Store")
    turn, review = turns.ask(store, DEPLOY), "Ready to submit your answers?"
    leaves_pages_at_the_desk(unwritten, turn, key, outcome, then="Deploy now?", review=review)


def test_a_question_is_dismissed(talk):
    prompt = talk.do(turns.ask(DEPLOY))
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert "**Deploy**" not in str(talk.log.function_responses())


def in_plan_mode(own):
    talk = own(permissionMode="plan")
    talk.idle(60)
    talk.until(lambda now: now["mode"] == "plan")
    return talk


def test_a_plan_is_shown_whole_and_approved(own):
    talk = in_plan_mode(own)
    prompt = talk.do(turns.plan(PLAN))
    assert prompt["type"] == "plan"
    assert "Do this" in prompt["description"]
    assert talk.approve(prompt, option="Yes, and manually approve edits").status == 200
    assert "approved" in said(talk)
    talk.finish()
    talk.until(lambda now: now["mode"] == "default")


def test_a_plan_that_a_low_pane_has_no_room_for_is_known_whole(own):
    talk = own(permissionMode="plan", cols=60, rows=10)
    talk.idle(90)
    steps = "".join(f"{at}. Do step {at}\n" for at in range(1, 16))
    talk.do(turns.plan(steps))
    talk.until(lambda _: not talk.pending()[0].get("truncated"))
    (prompt,) = talk.pending()
    assert (prompt["type"], prompt["description"].strip()) == ("plan", steps.strip())
    assert talk.approve(prompt, option="Yes, and manually approve edits").status == 200
    assert "approved" in said(talk)
    talk.finish()


def test_a_plan_is_sent_back(own):
    talk = in_plan_mode(own)
    prompt = talk.do(turns.plan(PLAN))
    assert talk.deny(prompt, reason="rather the other way round").status == 200
    assert talk.log.wait(lambda log: log.times_said("rather the other way round") == 1)
    talk.finish()
    talk.until(lambda now: now["mode"] == "plan")


def test_labels_that_take_two_rows_and_differ_in_a_letter_are_told_apart(talk):
    chooses_among_long_labels(
        talk, lambda *labels: turns.ask(turns.choice("Which target?", *labels))
    )


class TestOwnWords(OwnWords):
    turns = turns
    one_field = ("Down", "Down")
    field = ("Down", "Down", "Down")
    saves = "Up"


@pytest.mark.parametrize("answer", [FOUR[0], FOUR[2], "my own words"])
def test_a_question_whose_first_answers_left_the_pane_is_answered(own, answer):
    asked = "Which of the four long answers do you want for the work of today?"
    is_answered_in_a_low_pane(own, turns.ask(turns.choice(asked, *FOUR)), answer)


def test_the_header_of_a_question_is_no_part_of_it_in_a_narrow_pane(own):
    # The headline of the call is above the pane, and the header at its top.
    talk = own(cols=40, rows=20)
    talk.idle(90)
    labels = ("SQLite", "Postgres", "MySQL", "DuckDB")
    prompt = talk.do(turns.ask(turns.choice("Which database do you want?", *labels)))
    talk.until(lambda _: not talk.pending()[0].get("truncated"))
    (question,) = talk.pending()[0]["questions"]
    assert (question["header"], question["question"]) == ("Choice", "Which database do you want?")
    reply = talk.answer(prompt, {"0": "MySQL"})
    assert reply.status == 200, (reply, talk.seat.text())
    assert "**Choice**: MySQL" in said(talk)
    talk.finish()


def test_questions_in_tabs_are_answered_below_a_headline_that_takes_two_rows(own):
    talk = own(cols=40, rows=20)
    talk.idle(90)
    prompt = talk.do(turns.ask(PARTS, DEPLOY))
    talk.until(lambda _: len(talk.pending()[0]["questions"]) == 2)
    reply = talk.answer(prompt, {"0": ["API", "DB"], "1": "No"})
    assert reply.status == 200, (reply, talk.seat.text())
    answer = said(talk)
    assert "**Parts**: API, DB" in answer
    assert "**Deploy**: No" in answer
    talk.finish()


def test_words_of_ones_own_are_added_to_boxes_in_a_narrow_pane(own):
    talk = own(cols=60, rows=20)
    talk.idle(90)
    prompt = talk.do(turns.ask(PARTS))
    reply = talk.answer(prompt, {"0": ["UI", "the docs"]})
    assert reply.status == 200, (reply, talk.seat.text())
    assert "**Parts**: UI, the docs" in said(talk)
    talk.finish()


def test_a_tab_that_the_cli_skipped_is_not_left_out_in_a_low_pane(testbed, own):
    talk = own(**LOW)
    talk.idle(90)
    others = tuple(f"{letter} is another of them" for letter in "EFGH")
    first = turns.choice("Which of the four do you want today?", *FOUR, header="First")
    second = turns.choice("Which of these four tomorrow?", *others, header="Second")
    talk.do(turns.ask(DEPLOY, first, second))
    talk.until(lambda _: len(talk.pending()[0]["questions"]) == 3)
    (prompt,) = talk.pending()
    reply = talk.answer(prompt, {"0": "No", "1": "my own words", "2": others[2]})
    if testbed.version == "0.15.10" and reply.status == 502:
        # Two answers are above its pane: the way to the text field may take too long.
        assert not talk.log.function_responses()
        return
    assert reply.status == 200, (reply, talk.seat.text())
    answer = said(talk)
    assert "**Deploy**: No" in answer
    assert "**First**: my own words" in answer
    assert f"**Second**: {others[2]}" in answer
    talk.finish()


def test_long_words_of_ones_own_are_whole(talk):
    takes_long_words(talk, turns.ask(DEPLOY), options=0)


def test_long_words_of_ones_own_are_whole_among_several_answers(talk):
    # The field shows all of them once the cursor has left it.
    takes_long_words(talk, turns.ask(PARTS), options=1, count=100)


def test_words_that_do_not_fit_the_pane_among_several_answers_are_refused(talk):
    prompt = talk.do(turns.ask(PARTS))
    reply = talk.answer(prompt, {"0": ["UI", "of my own " * 250]})
    assert (reply.status, reply.body["code"]) == (422, "cannot_answer")
    assert talk.answer(prompt, {"0": ["UI"]}).status == 200
    assert "**Parts**: UI" in said(talk)
    talk.finish()
