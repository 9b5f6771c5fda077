"""The forms of MCP servers as questions, and answers as what the server wants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawtap_core.model import Response
from clawtap_core.protocol_io.elicitation import (
    ACCEPT,
    CANCEL,
    DECLINE,
    content_of,
    options_of_form,
    questions_of,
)

RELEASE = {
    "type": "object",
    "properties": {
        "channel": {"type": "string", "title": "Channel", "enum": ["stable", "beta"]},
        "notify": {"type": "boolean", "title": "Notify users", "default": False},
        "version": {"type": "string", "title": "Version", "description": "To publish"},
        "count": {"type": "integer"},
        "mail": {"type": "string", "format": "email"},
        "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}]},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "old": {"type": "string", "enum": ["x"], "enumNames": ["An X"]},
    },
    "required": ["version", "channel"],
}


def test_each_field_is_a_question_of_its_type():
    found = questions_of(RELEASE)
    reported = [(each.question, each.input_type, each.required) for each in found]
    assert reported[:5] == [
        ("Channel", None, True),
        ("Notify users", "boolean", False),
        ("To publish", "text", True),
        ("count", "number", False),
        ("mail", "email", False),
    ]
    assert found[2].header == "Version"
    assert [option.label for option in found[1].options] == ["True", "False"]
    assert [option.label for option in found[5].options] == ["Small"]
    assert found[6].multi_select
    assert [option.label for option in found[7].options] == ["An X"]


def test_answers_become_values_of_their_fields():
    answers = {"0": "beta", "1": "True", "2": "1.2.3", "3": "4", "5": "Small", "7": "An X"}
    content = content_of(RELEASE, Response("r", answers={**answers, "6": ("a", "b")}))
    assert content == {
        "channel": "beta",
        "notify": True,
        "version": "1.2.3",
        "count": 4,
        "size": "s",
        "tags": ["a", "b"],
        "old": "x",
    }


def test_what_is_no_number_fits_no_number():
    assert content_of(RELEASE, Response("r", answers={"3": "many"})) is None


def test_accept_is_offered_where_nothing_must_be_filled_in():
    assert options_of_form(questions_of(RELEASE)) == (DECLINE, CANCEL)
    assert options_of_form(()) == (ACCEPT, DECLINE, CANCEL)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["properties", "type", "enum", "items", "oneOf", "title", "required"]
                )
                | st.text(max_size=3),
                inner,
            )
        ),
        max_leaves=12,
    )
)
def test_no_schema_raises(rubbish):
    schema = rubbish if isinstance(rubbish, dict) else {"properties": {"x": rubbish}}
    questions = questions_of(schema)
    content_of(schema, Response("r", answers={str(at): "1" for at in range(len(questions))}))


@pytest.mark.parametrize("answer", ["nan", "inf", "-Infinity", "1e999"])
def test_a_number_that_json_does_not_have_fits_no_field(answer):
    schema = {"type": "object", "properties": {"weight": {"type": "number"}}}
    assert content_of(schema, Response("r", answers={"0": answer})) is None
