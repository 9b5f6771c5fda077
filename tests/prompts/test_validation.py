"""Answers are checked before anything is typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawtap_core import (
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    QuestionOption,
    Response,
    TextInput,
)
from clawtap_core.errors import BadRequest, Impossible
from clawtap_core.prompts.secret_answers import without_secret_answers
from clawtap_core.prompts.validation import validate_response

PERMISSION = PromptForm(
    Kind.PERMISSION,
    "Run?",
    options=(
        Option("allow-once", "Allow once", Effect.ALLOW_ONCE),
        Option("always", "Always", Effect.ALLOW_ALWAYS),
        Option("no", "No, stop", Effect.DENY),
    ),
)
COLOURS = Question(
    "Colours?",
    "Colours",
    (QuestionOption("Red"), QuestionOption("Blue")),
    multi_select=True,
    other=True,
)
SIZE = Question("Size?", "Size", (QuestionOption("S"), QuestionOption("L")))
FORM = PromptForm(Kind.QUESTION, "Two things", questions=(COLOURS, SIZE))
COLOUR = PromptForm(Kind.QUESTION, "One thing", questions=(replace(COLOURS, multi_select=False),))
NOTED = PromptForm(
    Kind.QUESTION, "Two", questions=(replace(SIZE, notes=True, required=False), SIZE)
)
PLAN = PromptForm(
    Kind.PLAN, "Go?", options=(Option("go", "Go", Effect.ALLOW_ONCE),), text_input=TextInput()
)


def test_approve_and_deny_take_the_option_with_that_effect():
    assert (
        validate_response(PERMISSION, Response("p", decision="approve")).selected_option
        == "allow-once"
    )
    assert validate_response(PERMISSION, Response("p", decision="deny")).selected_option == "no"


def test_a_decision_may_come_with_an_option_that_means_the_same():
    for option, decision in (("no", "deny"), ("allow-once", "approve"), ("always", "approve")):
        given = Response("p", option, decision=decision)
        assert validate_response(PERMISSION, given) == Response("p", option)
    answered = validate_response(COLOUR, Response("p", "Red", decision="approve"))
    assert answered.answers == {"0": "Red"}


def test_an_option_may_be_named_by_its_label():
    assert validate_response(PERMISSION, Response("p", "No, stop")).selected_option == "no"


def test_deny_of_a_question_is_left_to_the_adapter():
    assert validate_response(FORM, Response("p", decision="deny")).decision == "deny"


@pytest.mark.parametrize(
    "answer",
    [("Red", "Blue"), '["Red", "Blue"]', ("red", " BLUE "), ["Red", "Blue", "Red"]],
)
def test_a_multi_select_takes_labels_as_a_list_or_as_json(answer):
    found = validate_response(FORM, Response("p", answers={"0": answer, "1": "L"}))
    assert found.answers == {"0": ("Red", "Blue"), "1": "L"}


def test_a_label_of_blanks_that_is_offered_is_an_answer():
    blank = replace(COLOURS, options=(QuestionOption("   "), QuestionOption("Red")))
    form = PromptForm(Kind.QUESTION, "Colours", questions=(blank,))
    found = validate_response(form, Response("p", answers={"0": ["   ", "Red"]}))
    assert found.answers == {"0": ("   ", "Red")}


def test_of_labels_that_differ_in_case_only_the_one_that_was_named_counts():
    labels = ("yes", "Yes", "YES")
    alike = replace(SIZE, options=tuple(map(QuestionOption, labels)))
    several = replace(alike, multi_select=True)
    form = PromptForm(Kind.QUESTION, "Sure?", questions=(alike, several))
    for label in labels:
        found = validate_response(form, Response("p", answers={"0": label, "1": (label, "yEs")}))
        assert found.answers == {"0": label, "1": tuple(dict.fromkeys((label, "yes")))}


@pytest.mark.parametrize(
    ("offered", "answer"),
    [
        ("⚠  Careful", "⚠\ufe0f Careful"),
        ("Caf\u00e9", "cafe\u0301"),
        ("👨💻 Dev", "👨\u200d💻 Dev"),
        ("src/long/ name.py", "src/long/name.py"),
        ("把订单 迁移", "把订单迁移"),
    ],
)
def test_a_label_as_the_model_wrote_it_names_the_one_that_the_terminal_shows(offered, answer):
    labels = (QuestionOption(offered), QuestionOption("Other"))
    form = PromptForm(Kind.QUESTION, "Which?", questions=(replace(SIZE, options=labels),))
    assert validate_response(form, Response("p", answers={"0": answer})).answers == {"0": offered}


def test_words_that_several_labels_may_be_are_the_other_text():
    labels = tuple(map(QuestionOption, ("re sign", "res ign")))
    form = PromptForm(
        Kind.QUESTION, "Which?", questions=(replace(SIZE, options=labels, other=True),)
    )
    answers = {"0": "resign"}
    assert validate_response(form, Response("p", answers=answers)).answers == answers


def test_a_label_with_a_tab_is_not_taken_for_one_with_a_blank():
    labels = ("Beta\t2", "Beta 2")
    for offered in (labels, ("Beta2", "Beta 2")):
        options = tuple(map(QuestionOption, offered))
        question = replace(SIZE, options=options, other=True)
        form = PromptForm(Kind.QUESTION, "Which?", questions=(question,))
        for label in offered:
            answer = {"0": label}
            assert validate_response(form, Response("p", answers=answer)).answers == answer
    with pytest.raises(BadRequest, match="is not offered"):
        validate_response(form, Response("p", answers={"0": "Beta\t2"}))


def test_a_label_that_is_not_offered_is_the_other_text():
    found = validate_response(FORM, Response("p", answers={"0": ("Red", "Mauve"), "1": "L"}))
    assert found.answers["0"] == ("Red", "Mauve")


def test_feedback_needs_no_option():
    assert validate_response(PLAN, Response("p", text_value="smaller")).text_value == "smaller"


def test_two_answers_to_a_question_that_takes_one_are_refused_by_its_name():
    with pytest.raises(BadRequest, match=r"question 1 \(Size\) takes one answer, not 2"):
        validate_response(FORM, Response("p", answers={"0": "Red", "1": ("S", "L")}))


def test_a_form_of_one_question_takes_an_option_or_a_text_as_its_answer():
    one = PromptForm(Kind.QUESTION, "Size?", questions=(SIZE,))
    assert validate_response(one, Response("p", selected_option="l")).answers == {"0": "L"}


def test_a_note_goes_along_with_an_answer_where_the_question_takes_one():
    given = Response("p", answers={"0": "s", "1": "L"}, notes={"0": "a\r\nb\x07", "1": "  "})
    found = validate_response(NOTED, given)
    assert (found.answers, found.notes) == ({"0": "S", "1": "L"}, {"0": "a\nb"})
    assert validate_response(NOTED, replace(given, decision="deny")).notes == {}


def test_a_note_to_a_secret_is_kept_nowhere():
    secret = PromptForm(
        Kind.QUESTION, "Key?", questions=(Question("Key?", secret=True, notes=True),)
    )
    given = Response("p", answers={"0": "k"}, notes={"0": "the old key"})
    assert without_secret_answers(secret, given).notes == {}


@pytest.mark.parametrize(
    ("form", "response", "code"),
    [
        (NOTED, Response("p", answers={"1": "L"}, notes={"0": "n"}), "answer_required"),
        (NOTED, Response("p", answers={"1": "L"}, notes={"1": "n"}), "wrong_kind"),
        (NOTED, Response("p", answers={"1": "L"}, notes={"9": "n"}), "answer_required"),
        (PERMISSION, Response("p", "no", notes={"0": "n"}), "wrong_kind"),
        (PERMISSION, Response("p", "maybe"), "not_offered"),
        (PERMISSION, Response("p"), "answer_required"),
        (PERMISSION, Response("p", text_value="hm"), "wrong_kind"),
        (PERMISSION, Response("p", answers={"0": "x"}), "wrong_kind"),
        (PERMISSION, Response("p", decision="approve", text_value="hm"), "wrong_kind"),
        (PERMISSION, Response("p", decision="approve", answers={"0": "x"}), "wrong_kind"),
        (PERMISSION, Response("p", decision="deny", notes={"0": "n"}), "wrong_kind"),
        (PERMISSION, Response("p", decision="perhaps"), "bad_decision"),
        (PERMISSION, Response("p", "allow-once", decision="deny"), "bad_decision"),
        (PERMISSION, Response("p", "no", decision="approve"), "bad_decision"),
        (PERMISSION, Response("p", "perhaps", decision="deny"), "not_offered"),
        (PERMISSION, Response("p", ""), "not_offered"),
        (COLOUR, Response("p", "Red", decision="deny"), "bad_decision"),
        (FORM, Response("p", decision="approve"), "wrong_kind"),
        (FORM, Response("p", answers={"0": "Red"}), "answer_required"),
        (FORM, Response("p", answers={"0": "Red", "1": "XXL"}), "not_offered"),
        (FORM, Response("p", answers={"0": "Red", "1": ("S", "L")}), "wrong_kind"),
        (FORM, Response("p", answers={"7": "Red"}), "no_such_question"),
        (FORM, Response("p", text_value="both"), "answer_required"),
        (PLAN, Response("p", text_value="  "), "answer_required"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_code(form, response, code):
    with pytest.raises(BadRequest) as caught:
        validate_response(form, response)
    assert caught.value.code == code


def test_options_with_commas_are_told_apart():
    labels = ("Yes", "Yes, always")
    options = tuple(Option(label, label, Effect.OTHER) for label in labels)
    form = PromptForm(Kind.PERMISSION, "?", options=options)
    with pytest.raises(BadRequest, match=r"\(offered: Yes; Yes, always\)"):
        validate_response(form, Response("p", "No"))


def test_what_the_prompt_cannot_do_is_impossible():
    only_always = PromptForm(Kind.PERMISSION, "?", options=PERMISSION.options[1:])
    with pytest.raises(Impossible, match=r"allows once; name one \(offered: "):
        validate_response(only_always, Response("p", decision="approve"))
    with pytest.raises(Impossible, match="key pad"):
        validate_response(PromptForm(Kind.UNKNOWN, "?"), Response("p", "yes"))


def test_what_no_keyboard_has_is_left_out_of_an_answer():
    form = PromptForm(Kind.QUESTION, "Name?", questions=(Question("Name?"),))
    answer = validate_response(form, Response("p", answers={"0": "a\tb\x1b[31m\x07\r\nc\ud800"}))
    assert answer.answers == {"0": "a b[31m\nc?"}


def test_a_list_that_hides_some_says_so_when_a_label_is_not_found():
    question = Question("Colour?", options=(QuestionOption("red"),))
    form = PromptForm(Kind.QUESTION, "Colour?", questions=(question,), more_options=True)
    with pytest.raises(BadRequest, match="expand it first"):
        validate_response(form, Response("p", answers={"0": "gold"}))
