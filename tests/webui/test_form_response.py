"""A card's form as an answer: the same for a script and for a browser without one."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from werkzeug.datastructures import MultiDict

from clawtap_core.model import Kind, Prompt, PromptForm, Question, Response
from webui.viewmodels.form_response import form_response

QUESTIONS = (
    Question("Colour?"),
    Question("Which?", multi_select=True),
    Question("Name?"),
    Question("More?"),
    Question("Else?"),
)


def _response(*fields: tuple[str, str]) -> Response:
    form = PromptForm(Kind.QUESTION, "T", questions=QUESTIONS)
    prompt = Prompt("r1", "s1", "terminal", form, datetime.now(timezone.utc))
    return form_response(prompt, MultiDict(fields))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([("option", "no"), ("reason", " later ")], {"selected_option": "no", "reason": "later"}),
        ([("option", "no"), ("reason", "  ")], {"selected_option": "no", "reason": None}),
        ([("text", "a\r\nb")], {"text_value": "a\nb"}),
        ([("q0-other", "x"), ("option", "accept")], {"selected_option": None}),
        ([("q0-other", ""), ("option", "accept")], {"selected_option": "accept"}),
    ],
)
def test_an_option_a_text_and_a_reason_are_taken(
    fields: list[tuple[str, str]], expected: dict[str, str | None]
) -> None:
    response = _response(*fields)
    assert {name: getattr(response, name) for name in expected} == expected


def test_answers_are_keyed_by_question_and_other_counts_where_it_is_chosen() -> None:
    response = _response(
        *(("q0", "Red"), ("q0-other", "ignored")),
        *(("q1", "A"), ("q1", ""), ("q1-other", "mine")),
        *(("q2-other", " typed "), ("q3-other", "")),
        *(("q4", ""), ("q4-other", "own")),
    )
    assert dict(response.answers) == {"0": "Red", "1": ("A", "mine"), "2": "typed", "4": "own"}


def test_a_note_goes_with_its_answer() -> None:
    response = _response(
        ("q0", "Red"), ("q0-other", ""), ("q0-note", " dark "), ("q2", "B"), ("q2-note", " ")
    )
    assert dict(response.notes) == {"0": "dark"}
