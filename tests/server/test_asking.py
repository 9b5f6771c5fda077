"""Other programs ask: what a body may be, and what its short forms stand for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clawtap_core.model import (
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    QuestionOption,
    TextInput,
)


def _asked(client: Any, fake: Any, body: Any) -> PromptForm:
    answer = client.post("/api/prompts", json=body)
    assert answer.status_code == 201, answer.get_json()
    said = next(words for words in fake.said if words[0] == "ask")
    form: PromptForm = said[1]
    return form


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({}, Kind.PERMISSION),
        ({"toolName": "deploy"}, Kind.PERMISSION),
        ({"options": ["A", "B"]}, Kind.QUESTION),
        ({"options": [{"label": "A", "effect": "deny"}, "B"]}, Kind.PERMISSION),
        ({"questions": ["What?"]}, Kind.QUESTION),
        ({"textInput": True}, Kind.QUESTION),
        ({"textInput": False}, Kind.PERMISSION),
        ({"type": "plan"}, Kind.PLAN),
        ({"type": "loop-detected"}, Kind.LOOP),
        ({"type": "permission", "options": ["A"]}, Kind.PERMISSION),
    ],
)
def test_missing_fields_follow_from_the_rest(
    client: Any, fake: Any, body: dict[str, Any], kind: Kind
) -> None:
    assert _asked(client, fake, {"title": "T", **body}).kind is kind


def test_short_forms_stand_for_whole_ones(client: Any, fake: Any) -> None:
    body = {
        "title": "T",
        "textInput": True,
        "options": ["Yes, run it", {"label": "yes run it!", "value": "v"}, "Yes - run it"],
        "questions": ["Why?", {"question": "Which?", "options": ["A", {"label": "B"}]}],
    }
    form = _asked(client, fake, body)
    assert form.text_input == TextInput()
    assert [option.value for option in form.options] == ["yes-run-it", "v", "yes-run-it-3"]
    assert form.questions == (
        Question("Why?"),
        Question("Which?", options=(QuestionOption("A"), QuestionOption("B"))),
    )


def test_everything_that_a_prompt_has_can_be_said(client: Any, fake: Any) -> None:
    body = {
        "type": "plan",
        "title": "T",
        "description": "**D**\n\x1b[31mred",
        "truncated": True,
        "toolName": "deploy",
        "toolInput": {"a": [1, {"b": None}]},
        "toolCallId": "c1",
        "origin": "stage 2",
        "options": [
            {"label": "L", "value": "v", "effect": "allow_once", "hint": "h", "description": "d"}
        ],
        "textInput": {"placeholder": "p"},
        "questions": [
            {
                "question": "q",
                "header": "h",
                "options": [{"label": "l", "description": "d", "preview": "p"}],
                "multiSelect": True,
                "other": True,
                "inputType": "email",
                "required": False,
                "secret": True,
                "placeholder": "p",
                "notes": True,
            }
        ],
    }
    assert _asked(client, fake, body) == PromptForm(
        Kind.PLAN,
        "T",
        "**D**\n\x1b[31mred",
        truncated=True,
        tool_name="deploy",
        tool_input={"a": [1, {"b": None}]},
        tool_call_id="c1",
        origin="stage 2",
        options=(Option("v", "L", Effect.ALLOW_ONCE, "h", "d"),),
        text_input=TextInput("p"),
        questions=(
            Question(
                *(
                    "q",
                    "h",
                    (QuestionOption("l", "d", "p"),),
                    True,
                    True,
                    "email",
                    False,
                    True,
                    "p",
                ),
                notes=True,
            ),
        ),
    )


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "title is required"),
        ({"title": " "}, "title: Must not be blank."),
        ({"title": "a\nb"}, "title: Must be one line."),
        ({"title": 5}, "title: Not a valid string."),
        ({"title": "T", "type": "unknown"}, "type: Must be one of"),
        ({"title": "T", "state": "answered"}, "unknown field: state"),
        ({"title": "T", "screen": "x"}, "unknown field: screen"),
        ({"title": "T", "timeout": -1}, "timeout: Must be"),
        ({"title": "T", "timeout": "soon"}, "timeout: Not a valid number."),
        ({"title": "T", "default": " ", "timeout": 9}, "default: Must not be blank."),
        ({"title": "T", "default": True, "timeout": 9}, "default: Not a valid string."),
        ({"title": "T", "from": ""}, "from: Must not be blank."),
        ({"title": "T", "options": "A"}, "options: Not a valid list."),
        ({"title": "T", "options": [{}]}, "options.0.label is required"),
        ({"title": "T", "options": [{"label": "A", "effect": "x"}]}, "options.0.effect: Must be"),
        ({"title": "T", "options": [[]]}, "options.0"),
        ({"title": "T", "questions": [{"header": "x"}]}, "questions.0.question is required"),
        ({"title": "T", "toolInput": []}, "toolInput: Not a valid mapping type."),
        ({"title": "T\x00"}, "the request contains a NUL character"),
    ],
)
def test_what_is_wrong_is_said(client: Any, fake: Any, body: Any, sentence: str) -> None:
    answer = client.post("/api/prompts", json=body)
    assert answer.status_code == 400
    assert sentence in answer.get_json()["error"]
    assert not [words for words in fake.said if words[0] == "ask"]


@pytest.mark.parametrize("wait", ["-1", "3601", "soon", "nan", "inf"])
def test_a_wait_that_makes_no_sense_is_refused(client: Any, fake: Any, wait: str) -> None:
    assert client.post(f"/api/prompts?wait={wait}", json={"title": "T"}).status_code == 400
    assert client.get(f"/api/prompts/r1?wait={wait}").status_code == 400
    assert fake.said == []


def test_one_request_asks_and_waits(client: Any, fake: Any) -> None:
    body = {"title": "T", "from": "ci", "timeout": 30, "default": "yes"}
    assert client.post("/api/prompts?wait=20", json=body).status_code == 201
    assert [words[0] for words in fake.said] == ["ask", "wait"]
    assert fake.said[0][2:5] == ("ci", 30.0, "yes")
    assert fake.said[1][1:3] == ("r3", 20.0)


def test_who_does_not_wait_is_not_waited_for(client: Any, fake: Any) -> None:
    assert client.get("/api/prompts/r1").status_code == 200
    assert client.get("/api/prompts/r1?wait=5").status_code == 200
    assert [words[:3] for words in fake.said] == [("wait", "r1", 5.0)]


def test_a_stranger_asks_nothing(stranger: Any, fake: Any) -> None:
    for send in (stranger.post, stranger.delete):
        assert send("/api/prompts/r1").status_code in (401, 405)
    assert stranger.post("/api/prompts", json={"title": "T"}).status_code == 401
    assert stranger.post("/api/prompts/r1/extend", json={}).status_code == 401
    assert fake.said == []


def test_several_permissions_of_one_tool_take_one_decision(client: Any, fake: Any) -> None:
    second = replace(fake.prompts["r1"], request_id="r9")
    fake.prompts["r9"] = second
    body = {"requestIds": ["r1", "r9", "r1"], "decision": "allow"}
    reply = client.post("/api/prompts/decide", json=body).get_json()
    assert [(each["requestId"], each["state"]) for each in reply["results"]] == [
        ("r1", "answered"),
        ("r9", "answered"),
    ]
    again = client.post("/api/prompts/decide", json={**body, "decision": "deny"}).get_json()
    assert not again["ok"]
    assert {each["code"] for each in again["results"]} == {"already_answered"}


def test_a_prompt_that_is_gone_holds_up_none_of_those_decided_with_it(
    client: Any, fake: Any
) -> None:
    body = {"requestIds": ["gone", "r1"], "decision": "approve"}
    gone, done = client.post("/api/prompts/decide", json=body).get_json()["results"]
    assert (gone["code"], done["state"]) == ("prompt_not_found", "answered")
    alone = client.post("/api/prompts/decide", json={**body, "requestIds": ["gone"]})
    assert alone.status_code == 404


@pytest.mark.parametrize(
    ("tool_input", "reason"),
    [
        ({"command": "cat <<EOF > a | sudo tee b\nhi\nEOF"}, "root"),
        ({"command": "rm -rf build"}, "delete"),
        ({"command": "eval $x"}, "what eval runs, the program $x"),
        ({"file_path": "/etc/hosts", "content": "x"}, "outside"),
        ({"changes": [{"path": "/etc/hosts", "diff": "x"}]}, "outside"),
        ({"input": "*** Begin Patch\n*** Update File: ../x\n+a\n*** End Patch"}, "outside"),
    ],
)
def test_a_risky_prompt_is_approved_together_with_others_only_once_it_was_seen(
    tool_input: dict[str, Any], reason: str, client: Any, fake: Any
) -> None:
    calm = fake.prompts["r1"]
    risky = replace(calm, request_id="r9", form=replace(calm.form, tool_input=tool_input))
    fake.prompts["r9"] = risky
    body = {"requestIds": ["r9", "r1"], "decision": "approve"}
    refused, done = client.post("/api/prompts/decide", json=body).get_json()["results"]
    assert refused["code"] == "risk_not_seen"
    assert f"({reason})" in refused["error"]
    assert done["state"] == "answered"
    assert fake.prompts["r9"].state.open
    body = {"requestIds": ["r9"], "decision": "approve", "seen": ["r9"]}
    assert client.post("/api/prompts/decide", json=body).get_json()["ok"]


def test_risky_prompts_are_denied_together(client: Any, fake: Any) -> None:
    calm = fake.prompts["r1"]
    risky = replace(calm.form, tool_input={"command": "sudo rm -rf /"})
    fake.prompts["r9"] = replace(calm, request_id="r9", form=risky)
    body = {"requestIds": ["r1", "r9"], "decision": "deny"}
    assert client.post("/api/prompts/decide", json=body).get_json()["ok"]


def test_prompts_of_different_tools_are_not_decided_together(client: Any, fake: Any) -> None:
    first = fake.prompts["r1"]
    other = replace(first, request_id="r9", form=replace(first.form, tool_name="Write"))
    cut = replace(first, request_id="r8", form=replace(first.form, truncated=True))
    fake.prompts |= {"r9": other, "r8": cut}
    nameless = replace(first, request_id="r7", form=replace(first.form, tool_name=None))
    fake.prompts["r7"] = nameless
    for ids, code, named in (
        (["r1", "r9"], "different_tools", "of one tool"),
        (["r1", "r8"], "wrong_kind", "r8"),
        (["r7"], "wrong_kind", "r7"),
        (["r2"], "wrong_kind", "r2"),
    ):
        reply = client.post("/api/prompts/decide", json={"requestIds": ids, "decision": "approve"})
        assert (reply.status_code, reply.get_json()["code"]) == (400, code)
        assert named in reply.get_json()["error"]
    assert fake.prompts["r1"].state.open
