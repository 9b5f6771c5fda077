"""What requests may hold, and what is said of those that hold something else."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError

from clawtap_core import schemas
from clawtap_core.errors import BadRequest
from clawtap_core.model import LaunchRequest, Response
from clawtap_core.schemas import (
    Adoption,
    AnswersBodySchema,
    ApproveBodySchema,
    AskBodySchema,
    BodySchema,
    DenyBodySchema,
    DeviceBodySchema,
    DeviceToAdd,
    ExpandBodySchema,
    ExtendBodySchema,
    FileQuery,
    FileQuerySchema,
    KeyPad,
    KeysBodySchema,
    Login,
    LoginBodySchema,
    MessageBodySchema,
    MessageToSend,
    ModeBodySchema,
    ModelBodySchema,
    PageQuery,
    PageQuerySchema,
    RenameBodySchema,
    RespondBodySchema,
    SendBodySchema,
    StartBodySchema,
    dump,
    read_body,
    refusal,
)

BODIES = [
    found
    for found in map(vars(schemas).get, schemas.__all__)
    if isinstance(found, type) and issubclass(found, BodySchema) and found is not BodySchema
]


@pytest.mark.parametrize(
    ("form", "body", "expected"),
    [
        (ApproveBodySchema, {"requestId": "p"}, Response("p", decision="approve")),
        (ApproveBodySchema, {"toolCallId": "p"}, Response("p", decision="approve")),
        (
            ApproveBodySchema,
            {"requestId": "p", "decision": "allow"},
            Response("p", decision="approve"),
        ),
        (
            ApproveBodySchema,
            {"requestId": "p", "decision": "deny", "reason": "no\r\nno"},
            Response("p", decision="deny", reason="no\nno"),
        ),
        (ApproveBodySchema, {"requestId": "p", "option": "o"}, Response("p", selected_option="o")),
        (ApproveBodySchema, {"requestId": "p", "option": ""}, Response("p", selected_option="")),
        (
            ApproveBodySchema,
            {"requestId": "p", "option": "o", "decision": "deny"},
            Response("p", selected_option="o", decision="deny"),
        ),
        (DenyBodySchema, {"toolCallId": "p", "reason": None}, Response("p", decision="deny")),
        (
            AnswersBodySchema,
            {"toolCallId": "p", "answers": {"0": "A", "1": ["B", "C"], "2": '["D"]'}},
            Response("p", answers={"0": "A", "1": ("B", "C"), "2": '["D"]'}),
        ),
        (AnswersBodySchema, {"requestId": "p", "answers": {}}, Response("p")),
        (
            RespondBodySchema,
            {"requestId": "p", "toolCallId": "c", "selectedOption": "o", "textValue": "t"},
            Response("p", "o", "t"),
        ),
        (ExpandBodySchema, {"requestId": "p"}, "p"),
        (ExpandBodySchema, {"toolCallId": "p"}, "p"),
        (MessageBodySchema, {"message": "hi\nyou", "attachments": []}, "hi\nyou"),
        (MessageBodySchema, {"message": "a\x1b[201~b\tc\x07"}, "a[201~b\tc"),
        (SendBodySchema, {"message": "a\r\nb\x1b[31m"}, MessageToSend("a\nb[31m")),
        (SendBodySchema, {"message": "hi", "attachments": []}, MessageToSend("hi")),
        (SendBodySchema, {"message": "hi", "attachments": ["f1"]}, MessageToSend("hi", ("f1",))),
        (SendBodySchema, {"attachments": ["f1"]}, MessageToSend("", ("f1",))),
        (FileQuerySchema, {"name": "a b.png"}, FileQuery("a b.png")),
        (ModeBodySchema, {"mode": "plan"}, "plan"),
        (ModeBodySchema, {"permissionMode": "plan"}, "plan"),
        (ModelBodySchema, {"model": "pro"}, "pro"),
        (RenameBodySchema, {"title": "Mine"}, "Mine"),
        (DeviceBodySchema, {"name": "phone"}, DeviceToAdd("phone")),
        (LoginBodySchema, {"code": "1234"}, Login(code="1234")),
        (LoginBodySchema, {"token": "t", "name": "phone"}, Login("t", name="phone")),
        (KeysBodySchema, {"keys": ["Up", "C-c"], "screenRev": 3}, KeyPad(3, ("Up", "C-c"))),
        (KeysBodySchema, {"keys": "Enter", "screenRev": 3}, KeyPad(3, ("Enter",))),
        (KeysBodySchema, {"text": "yes", "screenRev": 0}, KeyPad(0, (), "yes")),
        (StartBodySchema, {"adopt": "%12"}, Adoption("%12")),
        (StartBodySchema, {"adopt": "%1", "adapter": "gemini"}, Adoption("%1", "gemini")),
        (PageQuerySchema, {"after": "7", "sessionId": "s"}, PageQuery(7, 200, "s")),
    ],
)
def test_a_body_is_read_as_what_it_stands_for(form, body, expected):
    assert read_body(form, body) == expected


def test_a_launch_is_read_whole_and_a_client_can_send_it():
    request = LaunchRequest(
        "gemini", "/src", "hi", "pro", "plan", "high", "terminal", "abc", ("-x",), 100, 30
    )
    assert read_body(StartBodySchema, dump(request)) == request


def test_a_client_can_send_a_whole_response():
    response = Response("p", "o", "t", {"0": ("a",)}, "why", "deny")
    assert read_body(RespondBodySchema, dump(response)) == response


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"toolCallId": "c"},
        {"answers": {"0": "A"}},
        {"toolCallId": "", "answers": {}},
        {"requestId": "p", "answers": None},
    ],
)
def test_answers_without_an_id_or_without_answers_get_the_sentence_of_the_seeds(body):
    with pytest.raises(BadRequest) as caught:
        read_body(AnswersBodySchema, body)
    assert caught.value.message == "toolCallId and answers are required"
    assert caught.value.details


@pytest.mark.parametrize(
    ("form", "body", "sentence"),
    [
        (ApproveBodySchema, {}, "requestId or toolCallId is required"),
        (DenyBodySchema, {"reason": "x"}, "requestId or toolCallId is required"),
        (RespondBodySchema, {"textValue": "x"}, "requestId or toolCallId is required"),
        (MessageBodySchema, {}, "message is required"),
        (MessageBodySchema, {"message": " \n"}, "message: Must not be blank."),
        (MessageBodySchema, {"message": 5}, "message: Not a valid string."),
        (MessageBodySchema, {"message": "\x1b\x07"}, "message: Must not be blank."),
        (
            DenyBodySchema,
            {"requestId": "p", "reason": "\x1b"},
            "reason: Control characters are not allowed.",
        ),
        (MessageBodySchema, {"message": "\ud83d"}, "message: Not a valid Unicode text."),
        (
            MessageBodySchema,
            {"message": "x", "attachments": ["a.png"]},
            "attachments: Attachments are not taken.",
        ),
        (SendBodySchema, {}, "message is required"),
        (SendBodySchema, {"message": " "}, "message: Must not be blank."),
        (
            SendBodySchema,
            {"message": "x", "attachments": ["f"] * 11},
            "attachments: Not more than 10 in a message.",
        ),
        (FileQuerySchema, {"name": "a\nb"}, "name: Must be one line."),
        (MessageBodySchema, [], "the body must be a JSON object"),
        (MessageBodySchema, None, "the body must be a JSON object"),
        (AnswersBodySchema, "x", "the body must be a JSON object"),
        (
            RenameBodySchema,
            {"title": "x", "name": "y"},
            "unknown field: name (known: title)",
        ),
        (RenameBodySchema, {"title": "a\nb"}, "title: Must be one line."),
        (
            ApproveBodySchema,
            {"requestId": "p", "decision": "maybe"},
            "decision: Must be one of: approve, allow, deny.",
        ),
        (
            AnswersBodySchema,
            {"requestId": "p", "answers": {"0": 4}},
            "answers.0: Must be a text or a list of labels.",
        ),
        (StartBodySchema, {}, "adapter and cwd are required"),
        (StartBodySchema, {"adapter": "gemini"}, "cwd is required"),
        (StartBodySchema, {"adopt": "12"}, "adopt: Not a pane of tmux, like %12."),
        (
            StartBodySchema,
            {"adopt": "%1", "cwd": "/src"},
            "cwd: Not with adopt: the program of the pane runs already.",
        ),
        (KeysBodySchema, {"screenRev": 1}, "screenRev and keys or text are required"),
        (KeysBodySchema, {"keys": ["Up"]}, "screenRev and keys or text are required"),
        (KeysBodySchema, {"keys": ["Foo"], "screenRev": 1}, "keys: Not a key of tmux: 'Foo'."),
        (
            KeysBodySchema,
            {"keys": ["Up"], "text": "x", "screenRev": 1},
            "text: Not with keys: give one of the two.",
        ),
        (LoginBodySchema, {"name": "phone"}, "token or code is required"),
        (AskBodySchema, {"title": "A?", "options": [1]}, "options.0: Invalid input type."),
        (AskBodySchema, {"title": "A?", "timeout": "5"}, "timeout: Not a valid number."),
        (ExtendBodySchema, {"seconds": "60"}, "seconds: Not a valid number."),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(form, body, sentence):
    with pytest.raises(BadRequest) as caught:
        read_body(form, body)
    assert caught.value.message == sentence
    assert caught.value.code == "bad_request"


def test_details_name_the_wire_fields():
    with pytest.raises(BadRequest) as caught:
        read_body(KeysBodySchema, {"keys": ["Foo"], "screenRev": 1, "x": 2})
    assert caught.value.details == {"x": ["Unknown field."]}


def test_an_error_is_short_however_long_the_input():
    with pytest.raises(BadRequest) as caught:
        read_body(RenameBodySchema, {f"{n}{'x' * 10_000}": 1 for n in range(1000)})
    assert len(caught.value.message) < 3000
    assert len(str(caught.value.details)) < 10_000


def test_the_place_that_webargs_names_is_left_out():
    error = ValidationError({"json": {"answers": ["Missing data for required field."]}})
    refused = refusal(AnswersBodySchema(), error)
    assert refused.message == "toolCallId and answers are required"
    assert refused.details == {"answers": ["Missing data for required field."]}


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
junk = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("form", BODIES, ids=lambda form: form.__name__)
def test_junk_is_a_bad_request_and_nothing_else(form):
    names = [field.data_key for field in form().fields.values()]

    @given(junk | st.dictionaries(st.sampled_from(names), junk))
    @settings(max_examples=25, deadline=None)
    def check(body):
        with suppress(BadRequest):
            read_body(form, body)

    check()


@pytest.mark.parametrize("name", ["requestId", "toolCallId"])
def test_an_id_of_another_type_is_not_missing_too(name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read_body(ApproveBodySchema, {name: 5})
    assert caught.value.message == f"{name}: Not a valid string."
    assert caught.value.details == {name: ["Not a valid string."]}
