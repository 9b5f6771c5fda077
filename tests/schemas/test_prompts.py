"""The wire form of prompts, as design section 4 gives it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from clawtap_core.errors import BadRequest
from clawtap_core.model import (
    Effect,
    Kind,
    Option,
    Position,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    Resolution,
    Response,
    TextInput,
)
from clawtap_core.schemas import AnsweredSchema, AskedPromptSchema, dump, dump_kept, load, load_kept

AT = datetime(2026, 11, 21, 10, 0, 0, 250000, tzinfo=timezone.utc)
SHELL = PromptForm(
    Kind.PERMISSION,
    "Run a command",
    "rm -r build",
    subject="rm -r build",
    tool_name="Shell",
    tool_input={"command": "rm -r build"},
    options=(
        Option("allow-once", "Allow once", Effect.ALLOW_ONCE),
        Option("no", "No, suggest changes", Effect.DENY, hint="esc"),
    ),
    selected="allow-once",
    dialog="x",
    dismiss="no",
    top=4,
)
PASSWORD = PromptForm(
    Kind.QUESTION,
    "Log in",
    questions=(Question("User?"), Question("Password?", secret=True)),
)


def prompt(form: PromptForm = SHELL, **changes: object) -> Prompt:
    return Prompt("p1", "s1", "terminal", form, AT, **changes)


def resolved(form: PromptForm, response: Response) -> Prompt:
    resolution = Resolution(PromptState.ANSWERED, "user", "phone", AT, response)
    return prompt(form, state=PromptState.ANSWERED, resolution=resolution)


def test_a_prompt_is_flat_and_leaves_out_what_is_absent():
    assert dump(prompt()) == {
        "requestId": "p1",
        "sessionId": "s1",
        "channel": "terminal",
        "type": "permission",
        "title": "Run a command",
        "description": "rm -r build",
        "toolName": "Shell",
        "toolInput": {"command": "rm -r build"},
        "input": '{"command": "rm -r build"}',
        "options": [
            {"value": "allow-once", "label": "Allow once", "effect": "allow_once"},
            {
                "value": "no",
                "label": "No, suggest changes",
                "effect": "deny",
                "hint": "esc",
            },
        ],
        "selected": "allow-once",
        "createdAt": "2026-11-21T10:00:00.250000Z",
        "state": "pending",
    }


def test_present_fields_are_written():
    form = PromptForm(
        Kind.QUESTION,
        "Which?",
        truncated=True,
        more_options=True,
        tool_call_id="call-1",
        text_input=TextInput("Type your feedback..."),
        questions=(
            Question(
                "Which colours?",
                "Colours",
                (QuestionOption("Red", "warm"), QuestionOption("Blue", preview="sea")),
                multi_select=True,
                other=True,
            ),
            Question("Key?", input_type="text", required=False, secret=True),
        ),
        screen="what the pane shows",
        origin="reviewer",
        position=Position(2, 3),
    )
    wire = dump(prompt(form, expires_at=AT + timedelta(minutes=10)))
    assert wire["truncated"] is wire["moreOptions"] is True
    assert wire["toolCallId"] == "call-1"
    assert wire["textInput"] == {"placeholder": "Type your feedback..."}
    assert wire["position"] == {"index": 2, "total": 3}
    assert wire["expiresAt"] == "2026-11-21T10:10:00.250000Z"
    assert (wire["screen"], wire["origin"]) == ("what the pane shows", "reviewer")
    assert wire["questions"][0] == {
        "header": "Colours",
        "question": "Which colours?",
        "options": [
            {"label": "Red", "description": "warm"},
            {"label": "Blue", "preview": "sea"},
        ],
        "multiSelect": True,
        "other": True,
        "required": True,
    }
    assert wire["questions"][1]["secret"] is True
    assert wire["questions"][1]["required"] is False


def test_what_only_the_core_needs_is_kept_but_not_on_the_wire():
    private = {"subject", "dialog", "dismiss", "top", "takesReason"}
    assert not private & dump(prompt()).keys()
    assert private <= dump_kept(prompt()).keys()
    assert load_kept(Prompt, dump_kept(prompt())) == prompt()


def test_answers_to_secret_questions_are_nowhere():
    response = Response("p1", answers={"0": "ada", "1": "hunter2"}, text_value="hunter2")
    ended = resolved(PASSWORD, response)
    for wire in (dump(ended), dump_kept(ended), AnsweredSchema().dump(ended)):
        assert "hunter2" not in json.dumps(wire)
        assert wire["resolution"]["response"]["answers"] == {"0": "ada"}


def test_the_wire_form_is_made_once_and_each_caller_may_add_to_it():
    asked = prompt()
    first = dump(asked)
    first["by"] = "a rule"
    assert "by" not in dump(asked)
    assert dump(asked)["options"] is first["options"]
    assert dump(replace(asked, session_id="s2")) == {**dump(asked), "sessionId": "s2"}


def test_only_the_asker_gets_secret_answers_whoever_reads_the_prompt_first():
    ended = resolved(PASSWORD, Response("p1", answers={"1": "hunter2"}))
    assert "hunter2" not in json.dumps(dump(ended))
    assert "hunter2" in json.dumps(AskedPromptSchema().dump(ended))
    assert "hunter2" not in json.dumps(dump(ended))


def test_the_reply_to_an_answer_has_its_outcome():
    ended = resolved(SHELL, Response("p1", selected_option="allow-once"))
    assert AnsweredSchema().dump(ended) == {
        "ok": True,
        "requestId": "p1",
        "state": "answered",
        "resolution": {
            "outcome": "answered",
            "by": "user",
            "device": "phone",
            "at": "2026-11-21T10:00:00.250000Z",
            "response": {"requestId": "p1", "selectedOption": "allow-once"},
        },
    }


def test_multi_select_answers_are_lists_and_strings_stay_strings():
    data = {"requestId": "p1", "answers": {"0": ["a", "b"], "1": '["a"]'}}
    response = load(Response, data)
    assert response.answers == {"0": ("a", "b"), "1": '["a"]'}
    assert dump(response) == data


def test_half_a_surrogate_pair_from_a_cli_does_not_reach_the_stream():
    form = PromptForm(Kind.PERMISSION, "cut \ud83d", tool_input={"text": ["\ud83d", "\udc4d"]})
    wire = dump(prompt(form))
    assert wire["title"] == "cut \ufffd"
    assert wire["toolInput"] == {"text": ["\ufffd", "\ufffd"]}
    json.dumps(wire, ensure_ascii=False).encode()


def test_a_tool_input_that_is_no_json_is_made_json():
    form = PromptForm(Kind.PERMISSION, "x", tool_input={"at": AT, "n": float("nan"), 1: (2,)})
    wire = dump(prompt(form))
    assert wire["toolInput"] == {"at": str(AT), "n": None, "1": [2]}
    assert json.loads(wire["input"]) == wire["toolInput"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-11-21T10:00:00.250Z", AT),
        ("2026-11-21T11:00:00.250000+01:00", AT),
        ("2026-11-21T10:00:00.250000", AT),
    ],
)
def test_moments_are_read_in_any_zone(given, expected):
    wire = {**dump(prompt()), "createdAt": given}
    assert load(Prompt, wire).created_at == expected


@pytest.mark.parametrize("given", ["yesterday", 5, "0001-01-01T00:00:00+14:00", [], True])
def test_a_moment_that_is_none_is_refused(given):
    with pytest.raises(BadRequest, match="createdAt"):
        load(Prompt, {**dump(prompt()), "createdAt": given})


def test_what_a_newer_server_adds_is_passed_over_and_null_is_absent():
    wire = {**dump(prompt()), "novelty": 1, "origin": None}
    assert load(Prompt, wire).form.origin is None


def test_what_is_missing_is_named():
    with pytest.raises(BadRequest, match="title, requestId, sessionId and createdAt are required"):
        load(Prompt, {"type": "permission", "channel": "terminal"})


def test_what_an_adapter_keeps_with_an_option_is_in_the_journal_and_never_on_the_wire():
    option = Option("always", "Always", Effect.ALLOW_ALWAYS, data={"rules": [{"toolName": "Bash"}]})
    value = prompt(PromptForm(Kind.PERMISSION, "Run", options=(option,)))
    assert load_kept(Prompt, dump_kept(value)) == value
    assert "data" not in dump(value)["options"][0]
