"""The scripted model asks as the CLI lets it: by a schema, or one question with a list."""

from __future__ import annotations

import pytest
from clawtap_copilot.live import turns
from clawtap_copilot.live.model import takes_forms, with_taken_forms

from clawtap_core.testing.scripted.script import Turn

# What the tool takes in 1.0.67, in 1.0.75 and 1.0.79, and in 1.0.83.
FIELDS = [
    ("question", "choices", "allow_freeform"),
    ("question", "choices"),
    ("message", "requestedSchema"),
]
FORM = turns.form("Which database?", db=turns.one_of("Database", "SQLite", "Postgres"))


def request(*fields):
    parameters = {"type": "object", "properties": {name: {} for name in fields}}
    tool = {"type": "function", "function": {"name": "ask_user", "parameters": parameters}}
    shell = {"type": "function", "function": {"name": "bash", "parameters": {}}}
    return {"messages": [], "tools": [shell, tool]}


@pytest.mark.parametrize("fields", FIELDS)
def test_a_question_has_the_fields_that_the_tool_takes(fields):
    body = request(*fields)
    assert takes_forms(body) is ("requestedSchema" in fields)
    (part,) = with_taken_forms(Turn.of(FORM), body).parts
    assert part["call"]["name"] == "ask_user"
    assert tuple(part["call"]["args"]) == fields
    assert "Postgres" in str(part)


def test_other_calls_stay_as_they_are():
    turn = Turn.of(turns.shell("ls"))
    assert with_taken_forms(turn, request("question")) == turn
