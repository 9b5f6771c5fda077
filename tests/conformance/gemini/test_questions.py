"""Questions of every kind, answered as a user would."""

from __future__ import annotations

import json
import time

import pytest
from clawtap_gemini.live import turns
from question_scenarios import (
    chooses_among_long_labels,
    chooses_none_of_labels_that_read_alike,
    leaves_pages_at_the_desk,
)


def answered(talk):
    """The answers as the model got them."""
    (output,) = talk.outputs()
    return json.loads(output["output"])["answers"]


def give(talk, prompt, answer):
    reply = talk.answer(prompt, {"0": answer})
    assert reply.status == 200, reply
    assert reply.body["state"] == "answered"


DATABASE = turns.choice("Which database?", "PostgreSQL", "SQLite", "MongoDB")
FEATURES = turns.choice("Which features?", "Login", "Search", "Export", multi=True)


@pytest.mark.parametrize("answer", ["PostgreSQL", "MongoDB", "DuckDB, of course"])
def test_a_choice_takes_a_label_or_other_words(talk, answer):
    prompt = talk.do(turns.ask(DATABASE))
    (question,) = prompt["questions"]
    assert (prompt["type"], question["question"]) == ("question", "Which database?")
    labels = [option["label"] for option in question["options"]]
    assert labels == ["PostgreSQL", "SQLite", "MongoDB"]
    assert (question["multiSelect"], question["other"]) == (False, True)
    give(talk, prompt, answer)
    assert answered(talk) == {"0": answer}
    talk.finish()


@pytest.mark.parametrize("answer", ["[ ] Alpha", "[x] Beta", "Gamma"])
def test_an_answer_may_begin_like_a_box(talk, answer):
    prompt = talk.do(turns.ask(turns.choice("Which way?", "[ ] Alpha", "[x] Beta", "Gamma")))
    labels = [option["label"] for option in prompt["questions"][0]["options"]]
    assert labels == ["[ ] Alpha", "[x] Beta", "Gamma"]
    give(talk, prompt, answer)
    assert answered(talk) == {"0": answer}
    talk.finish()


def test_words_with_an_accent_of_its_own_are_an_answer(talk):
    prompt = talk.do(turns.ask(turns.choice("Which one?", "Red", "Blue")))
    give(talk, prompt, "a\u0301 n\u0303")
    assert answered(talk) == {"0": "\u00e1 \u00f1"}
    talk.finish()


@pytest.mark.parametrize("answer", ["👍🏽 ok", "नमस्ते"])
def test_words_that_break_the_box_are_refused_and_the_prompt_stays(talk, answer):
    prompt = talk.do(turns.ask(turns.choice("Which one?", "Red", "Blue")))
    reply = talk.answer(prompt, {"0": answer})
    assert (reply.status, reply.body["code"]) == (422, "cannot_answer"), reply
    give(talk, prompt, "Blue")
    assert answered(talk) == {"0": "Blue"}
    talk.finish()


@pytest.mark.parametrize(
    ("answer", "heard"),
    [(["Login", "Export"], "Login, Export"), ('["Search"]', "Search"), (["Export"], "Export")],
)
def test_several_may_be_chosen(talk, answer, heard):
    prompt = talk.do(turns.ask(FEATURES))
    assert prompt["questions"][0]["multiSelect"] is True
    give(talk, prompt, answer)
    assert answered(talk) == {"0": heard}
    talk.finish()


@pytest.mark.parametrize(
    "label", [f"src/{'very_long_name/' * 9}b.py", "把旧的订单都迁移到新的数据库" * 5]
)
@pytest.mark.parametrize("multi", [False, True])
def test_a_label_that_has_no_room_beside_its_number_is_chosen(talk, label, multi):
    if multi and talk.testbed.version == "0.34.0":
        pytest.skip("it draws half of the check box, and its labels are not read")
    first = f"another_{label}"
    prompt = talk.do(turns.ask(turns.choice("Which one?", first, label, multi=multi)))
    give(talk, prompt, [label] if multi else label)
    assert answered(talk) == {"0": label}
    talk.finish()


def test_several_and_other_words(talk):
    prompt = talk.do(turns.ask(FEATURES))
    give(talk, prompt, ["Search", "A dark theme"])
    assert answered(talk) == {"0": "Search, A dark theme"}
    talk.finish()


@pytest.mark.parametrize("asked", [DATABASE, FEATURES, turns.text("Which name?")])
def test_long_words_of_ones_own_are_whole(talk, asked):
    words = " ".join(f"{at:05d} word" for at in range(200))
    prompt = talk.do(turns.ask(asked))
    give(talk, prompt, words)
    assert answered(talk) == {"0": words}
    talk.finish()


def test_a_text(talk):
    prompt = talk.do(turns.ask(turns.text("Which name?")))
    (question,) = prompt["questions"]
    assert question.get("options") in (None, [])
    give(talk, prompt, "Ünïcødé & 'quotes' $HOME 1")
    assert answered(talk) == {"0": "Ünïcødé & 'quotes' $HOME 1"}
    talk.finish()


@pytest.mark.parametrize("words", ["3. three", "1. one\n2. two", "> 1. quoted"])
def test_a_text_may_read_like_a_list(talk, words):
    give(talk, talk.do(turns.ask(turns.text("Which order?"))), words)
    assert answered(talk) == {"0": words}
    talk.finish()


@pytest.mark.parametrize("words", ["Enter a custom value", "all of it ✓"])
@pytest.mark.parametrize("multi", [False, True])
def test_words_that_read_like_the_field_of_a_list_are_an_answer(talk, words, multi):
    give(talk, talk.do(turns.ask(turns.choice("Which part?", "A", "B", multi=multi))), words)
    assert answered(talk) == {"0": words}
    talk.finish()


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_yes_or_no(talk, answer):
    prompt = talk.do(turns.ask(turns.yes_no("Deploy it?")))
    give(talk, prompt, answer)
    assert answered(talk) == {"0": answer}
    talk.finish()


def test_a_long_list_is_read_whole_when_it_is_expanded_and_its_last_option_chosen(talk):
    labels = [f"Colour number {n}" for n in range(1, 5)]
    prompt = talk.do(turns.ask(turns.choice("Which colour?", *labels)))
    if prompt.get("moreOptions"):
        reply = talk.post("expand", requestId=prompt["requestId"])
        assert (reply.status, reply.body["requestId"]) == (200, prompt["requestId"])
        assert not reply.body.get("moreOptions")
        prompt = reply.body
    assert [option["label"] for option in prompt["questions"][0]["options"]] == labels
    give(talk, prompt, labels[-1])
    assert answered(talk) == {"0": labels[-1]}
    talk.finish()


def test_a_label_that_is_scrolled_off_can_be_chosen_without_expanding(talk):
    labels = [f"Fruit number {n}" for n in range(1, 5)]
    prompt = talk.do(turns.ask(turns.choice("Which fruit?", *labels)))
    give(talk, prompt, labels[-1])
    assert answered(talk) == {"0": labels[-1]}
    talk.finish()


def test_questions_in_tabs_are_asked_one_after_another(talk):
    talk.play(
        turns.ask(
            turns.choice("Which database?", "PostgreSQL", "SQLite", header="Database"),
            turns.text("Which name?", header="Name"),
            turns.choice("Which features?", "Login", "Search", header="Features", multi=True),
            turns.yes_no("Deploy it?", header="Deploy"),
        )
    )
    talk.say()
    answers = {
        "Which database?": "SQLite",
        "Which name?": "Atlas",
        "Which features?": ["Login"],
        "Deploy it?": "No",
    }
    seen = []
    for index in range(1, 5):
        prompt = talk.prompt()
        question = prompt["questions"][0]["question"]
        assert prompt["position"] == {"index": index, "total": 4}
        seen.append(question)
        give(talk, prompt, answers[question])
    assert seen == list(answers)
    assert answered(talk) == {"0": "SQLite", "1": "Atlas", "2": "Login", "3": "No"}
    talk.finish()


@pytest.mark.parametrize(
    ("key", "outcome"), [("2", "answered_elsewhere"), ("Right", "cancelled")], ids=str
)
def test_a_question_that_the_desk_leaves_was_answered_there_only_if_it_was(talk, key, outcome):
    turn = turns.ask(
        turns.choice("Which place?", "Paris", "Rome", header="Place"),
        turns.choice("Which time?", "Dawn", "Dusk", header="Time"),
    )
    leaves_pages_at_the_desk(
        talk, turn, key, outcome, then="Which time?", review="Review your answers:"
    )


def test_a_question_can_be_cancelled(talk):
    prompt = talk.do(turns.ask(turns.choice("Which way?", "Left", "Right")))
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied")
    talk.idle()
    assert "answers" not in str(talk.log.function_responses())


def test_no_answers_is_a_bad_request_and_types_nothing(talk):
    prompt = talk.do(turns.ask(turns.choice("Which side?", "Inside", "Outside")))
    assert talk.post("submit-answers", requestId=prompt["requestId"]).status == 400
    assert talk.answer(prompt, {}).status == 400
    give(talk, prompt, "Inside")
    assert answered(talk) == {"0": "Inside"}
    talk.finish()


def test_labels_that_take_two_rows_and_differ_in_a_letter_are_told_apart(talk):
    chooses_among_long_labels(
        talk, lambda *labels: turns.ask(turns.choice("Which target?", *labels))
    )


def test_a_question_in_a_low_pane_stays_one_prompt_while_its_window_moves(own):
    """On one of its rows the heading of the box is in view, on the others it is not."""
    talk = own(cols=80, rows=15)
    talk.idle(60)
    prompt = talk.do(turns.ask(DATABASE))
    for _ in range(5):
        talk.seat.press("Down")
        time.sleep(0.7)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    whole = talk.post("expand", requestId=prompt["requestId"])
    assert (whole.status, whole.body.get("requestId")) == (200, prompt["requestId"]), whole
    labels = [option["label"] for option in whole.body["questions"][0]["options"]]
    assert labels == ["PostgreSQL", "SQLite", "MongoDB"]
    give(talk, prompt, "MongoDB")
    assert answered(talk) == {"0": "MongoDB"}
    talk.finish()


@pytest.mark.parametrize("answer", [["Login", "Export"], ["Search", "a search of its own"]])
def test_several_are_chosen_in_a_low_pane_that_shows_one_row(own, answer):
    talk = own(cols=80, rows=15)
    talk.idle(60)
    prompt = talk.do(turns.ask(FEATURES))
    whole = talk.post("expand", requestId=prompt["requestId"])
    assert (whole.status, whole.body.get("requestId")) == (200, prompt["requestId"]), whole
    labels = [option["label"] for option in whole.body["questions"][0]["options"]]
    assert labels[:3] == ["Login", "Search", "Export"]
    give(talk, prompt, answer)
    assert answered(talk) == {"0": ", ".join(answer)}
    talk.finish()


def test_of_labels_that_read_alike_none_is_chosen(talk):
    chooses_none_of_labels_that_read_alike(
        talk, lambda *labels: turns.ask(turns.choice("Which one?", *labels))
    )


def test_a_question_of_which_a_low_pane_shows_nothing_comes_with_its_screen(own):
    # Each row of its list moves other rows into the pane: an answer would go astray.
    talk = own(cols=60, rows=10)
    talk.idle(60)
    prompt = talk.do(turns.ask(turns.choice("Which?", "A", "B", "C", "D", multi=True)))
    assert prompt["type"] == "unknown", (prompt, talk.seat.text())
    talk.seat.resize(120, 40)
    prompt = talk.prompt()
    assert prompt["questions"][0]["question"] == "Which?"
    give(talk, prompt, ["A", "D"])
    assert answered(talk) == {"0": "A, D"}
    talk.finish()
