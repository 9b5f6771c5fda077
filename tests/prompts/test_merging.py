"""What the screen shows and what else is known become one prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawtap_core import Kind, PromptForm, Question, QuestionOption
from clawtap_core.model import Position
from clawtap_core.prompts.merging import (
    may_be_one,
    merge_known,
    names_file,
    reported_questions,
    reviews,
    shows_question_of,
)

SEEN = PromptForm(Kind.PERMISSION, "Run this?", "rm -r bui", truncated=True)
KNOWN = PromptForm(
    Kind.PERMISSION,
    "Shell",
    "rm -r build",
    tool_name="Shell",
    tool_input={"command": "rm -r build"},
    tool_call_id="call-1",
)


def test_two_kinds_or_two_calls_are_two_prompts():
    assert may_be_one(SEEN, KNOWN)
    assert not may_be_one(replace(SEEN, kind=Kind.PLAN), KNOWN)
    assert not may_be_one(replace(SEEN, tool_call_id="call-2"), KNOWN)


def test_a_file_is_named_whole_or_as_seen_from_a_folder():
    for shown in ("/home/me/test.py", "me/test.py", "test.py", "./test.py"):
        assert names_file(shown, "/home/me/test.py")
    assert names_file("/home/me/test.py", "test.py")
    for shown in ("est.py", "/me/test.py", "/home/me/test.py.old", "/", ""):
        assert not names_file(shown, "/home/me/test.py")
    assert not names_file("/home/me/test.py", None)


def test_a_cut_description_is_completed_and_the_subject_stays_that_of_the_screen():
    merged = merge_known(SEEN, KNOWN)
    assert (merged.title, merged.description, merged.truncated) == (
        "Run this?",
        "rm -r build",
        False,
    )
    assert merged.subject == "Run this?\nrm -r bui"
    assert (merged.tool_name, merged.tool_call_id) == ("Shell", "call-1")


def test_what_the_screen_shows_whole_is_left_as_it_is():
    merged = merge_known(replace(SEEN, truncated=False, subject="mine"), KNOWN)
    assert (merged.description, merged.subject) == ("rm -r bui", "mine")


def test_characters_that_a_full_cell_lost_are_those_of_the_call():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
    seen = replace(SEEN, description=family[:-1], truncated=False)
    assert merge_known(seen, replace(KNOWN, description=family)).description == family


def test_several_known_questions_replace_the_open_one():
    page = PromptForm(Kind.QUESTION, "One?", questions=(Question("One?"),), position=Position(1, 2))
    known = PromptForm(Kind.QUESTION, "One?", questions=(Question("One ?"), Question("Two?")))
    assert shows_question_of(page, known)
    assert not shows_question_of(replace(page, questions=(Question("Three?"),)), known)
    assert not shows_question_of(replace(page, questions=()), known)
    merged = merge_known(page, known)
    assert (merged.questions, merged.position) == (known.questions, None)


def test_a_review_of_the_answers_has_the_questions_of_its_call():
    review = PromptForm(Kind.QUESTION, "Submit?", questions=(Question("Submit?"),))
    known = PromptForm(Kind.QUESTION, "One?", questions=(Question("One?"),))
    assert reviews(review, known)
    assert not reviews(known, known)
    assert not reviews(SEEN, known)
    assert merge_known(review, known).questions == known.questions


def test_the_end_of_a_question_and_its_options_are_enough_where_its_top_left_the_screen():
    yes_or_no = (QuestionOption("Yes"), QuestionOption("No"))
    known = PromptForm(Kind.QUESTION, "", questions=(Question("Now or later?", options=yes_or_no),))
    for end in ("later?", ""):
        page = PromptForm(
            Kind.QUESTION, "", truncated=True, questions=(Question(end, options=yes_or_no),)
        )
        assert shows_question_of(page, known)
        assert not shows_question_of(replace(page, truncated=False), known)
        other = replace(page.questions[0], options=yes_or_no[:1])
        assert not shows_question_of(replace(page, questions=(other,)), known)
        merged = merge_known(page, known)
        assert (merged.title, merged.questions) == ("Now or later?", known.questions)
        assert not merged.truncated


def test_a_header_above_a_question_whose_top_left_the_screen_is_no_part_of_it():
    yes_or_no = (QuestionOption("Yes"), QuestionOption("No"))
    asked = Question("Now or later?", header="When", options=yes_or_no)
    known = PromptForm(Kind.QUESTION, "", questions=(asked,))
    drawn = Question("When\n\nNow or later?", options=yes_or_no)
    page = PromptForm(Kind.QUESTION, "Now or later?", truncated=True, questions=(drawn,))
    assert merge_known(page, known).questions == (asked,)
    assert not shows_question_of(replace(page, truncated=False), known)
    other = replace(drawn, question="Where\n\nNow or later?")
    assert not shows_question_of(replace(page, questions=(other,)), known)


def test_the_last_options_are_enough_where_the_first_left_the_screen_too():
    offered = tuple(map(QuestionOption, ("SQLite", "Postgres", "MySQL")))
    known = PromptForm(Kind.QUESTION, "", questions=(Question("Which store?", options=offered),))
    page = PromptForm(
        Kind.QUESTION,
        "",
        truncated=True,
        more_options=True,
        questions=(Question("", options=offered[1:]),),
    )
    merged = merge_known(page, known)
    assert (merged.questions, merged.more_options) == (known.questions, False)
    assert not shows_question_of(replace(page, more_options=False), known)
    others = replace(page.questions[0], options=offered[:2])
    assert not shows_question_of(replace(page, questions=(others,)), known)


def test_questions_of_a_call_have_their_options_and_what_is_malformed_is_left_out():
    listed = [
        {"question": "Which?", "options": [{"label": "A", "description": "first"}, "B"]},
        {"question": "More?", "header": "More", "options": 7, "several": True},
        "no question",
    ]
    which, more = reported_questions(listed, multi_select="several")
    assert [(each.label, each.description) for each in which.options] == [("A", "first")]
    assert (more.header, more.options, more.multi_select) == ("More", (), True)
    assert (which.multi_select, which.other) == (False, True)


@pytest.mark.parametrize("listed", [None, 7, "text", {"question": "Which?"}])
def test_what_is_no_list_has_no_questions(listed):
    assert reported_questions(listed, multi_select="multiSelect") == ()
