from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import requests
import responses

from clawtap_core import errors
from clawtap_core.client import HttpTransport
from clawtap_core.model import Kind, PromptForm, Response, TextInput

URL = "http://tap.example:3456"


@pytest.fixture
def far() -> HttpTransport:
    return HttpTransport(f"{URL}/", "secret")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.BadRequest),
        (401, errors.Unauthorized),
        (403, errors.Forbidden),
        (404, errors.NotFound),
        (409, errors.Conflict),
        (413, errors.TooLarge),
        (422, errors.Impossible),
        (429, errors.TooManyRequests),
        (500, errors.ClawTapError),
        (502, errors.NotConfirmed),
        (503, errors.Unavailable),
    ],
)
@responses.activate
def test_the_servers_sentence_and_code_are_raised(
    far: HttpTransport, status: int, kind: type[errors.ClawTapError]
) -> None:
    fields = {"error": "what happened", "code": "some_code", "details": {"by": "me"}}
    responses.get(f"{URL}/api/sessions", json=fields, status=status)
    with pytest.raises(kind, match="what happened") as caught:
        far.sessions()
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.details) == ("some_code", {"by": "me"})


@pytest.mark.parametrize("body", ["<h1>Bad gateway</h1>", "[]", "{}", '{"error": "x"}'])
@responses.activate
def test_an_error_that_is_not_ours_says_what_failed(far: HttpTransport, body: str) -> None:
    responses.post(f"{URL}/api/sessions/s1/respond", body=body, status=502)
    with pytest.raises(errors.NotConfirmed, match="Submit answers failed: 502 Bad Gateway"):
        far.respond("s1", Response("r1", answers={"0": "a"}))


@responses.activate
def test_the_token_goes_in_the_header_only(far: HttpTransport) -> None:
    sent = responses.get(f"{URL}/api/sessions", json=[])
    far.sessions()
    request = sent.calls[0].request
    assert request.headers["Authorization"] == "Bearer secret"
    assert "secret" not in (request.url or "")


@responses.activate
def test_a_redirect_is_not_followed_with_the_token(far: HttpTransport) -> None:
    responses.get(f"{URL}/api/sessions", status=302, headers={"Location": "http://evil.example/"})
    with pytest.raises(errors.ClawTapError, match="302"):
        far.sessions()


@pytest.mark.parametrize("url", ["ftp://x", "localhost:3456"])
def test_an_address_that_is_not_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(errors.UsageError, match=f"the address {url} must begin with http://"):
        HttpTransport(url, "token")


@responses.activate
def test_a_server_that_is_not_there_is_explained(far: HttpTransport) -> None:
    responses.get(f"{URL}/api/sessions", body=requests.ConnectionError("refused"))
    with pytest.raises(errors.Unavailable, match="clawtap serve") as caught:
        far.sessions()
    assert caught.value.code == "server_unreachable"


@pytest.mark.parametrize("body", ["<html>", "null", '{"sessions": []}'])
@responses.activate
def test_another_program_on_the_port_is_explained(far: HttpTransport, body: str) -> None:
    responses.get(f"{URL}/api/sessions", body=body)
    with pytest.raises(errors.Unavailable, match="is not a ClawTap server"):
        far.sessions()


def test_a_number_that_json_does_not_have_is_no_server_that_is_away(far: HttpTransport) -> None:
    with pytest.raises(errors.BadRequest, match="Extend failed: Out of range float values"):
        far.extend("r1", float("nan"))


def test_an_address_that_cannot_be_read_is_no_server_that_is_away() -> None:
    with pytest.raises(errors.BadRequest, match="99999"):
        HttpTransport("http://127.0.0.1:99999", "token").sessions()


def test_a_bundle_of_authorities_that_is_gone_is_said(tmp_path: Path) -> None:
    far = HttpTransport("https://127.0.0.1:1", "token", verify=str(tmp_path / "ca.pem"))
    with pytest.raises(errors.Unavailable, match="no answer from https://127"):
        far.sessions()


@pytest.mark.parametrize("given", ["..", ".", ""])
def test_an_id_of_dots_is_nobodys(far: HttpTransport, given: str) -> None:
    with pytest.raises(errors.NotFound):
        far.session(given)


@pytest.mark.parametrize(("given", "sent"), [("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c")])
@responses.activate
def test_ids_cannot_leave_their_place_in_the_path(
    far: HttpTransport, given: str, sent: str
) -> None:
    responses.delete(f"{URL}/api/sessions/{sent}", json={"ok": True})
    far.end(given)
    assert responses.calls[0].request.url == f"{URL}/api/sessions/{sent}"


@responses.activate
def test_a_stream_is_read_field_by_field(far: HttpTransport) -> None:
    body = (
        "retry: 1000\n\n"
        'id: e-7\nevent: message\ndata: {"sessionId":"s1","text":"a"}\n\n'
        ": idle\n\n"
        "event: text_delta\ndata: {}\n\n"
    )
    responses.get(f"{URL}/api/sessions/s1/events", body=body.encode())
    found: list[Any] = list(far.events("e-6", session_id="s1", screens=True))
    assert [event and (event.type, event.seq, event.session_id) for event in found] == [
        ("message", 7, "s1"),
        None,
        ("text_delta", None, None),
    ]
    assert responses.calls[0].request.url.endswith("?after=e-6&screen=true")


@pytest.mark.parametrize(
    ("call", "path", "sent", "failure"),
    [
        (
            lambda far: far.submit_answers("s1", "c1", {"0": "A", "1": ("B", "C")}),
            "/sessions/s1/respond",
            {"requestId": "c1", "answers": {"0": "A", "1": ["B", "C"]}},
            "Submit answers failed: 502 Bad Gateway",
        ),
        (
            lambda far: far.approve("s1", "r1", option="always", reason="why"),
            "/sessions/s1/respond",
            {"requestId": "r1", "selectedOption": "always", "reason": "why"},
            "Respond failed",
        ),
        (
            lambda far: far.deny("s1", "r1"),
            "/sessions/s1/respond",
            {"requestId": "r1", "decision": "deny"},
            "Deny failed",
        ),
        (
            lambda far: far.ask(
                PromptForm(Kind.QUESTION, "T", tool_input={"a": 1}, text_input=TextInput()),
                asker="ci",
                seconds=0,
            ),
            "/prompts",
            {
                "type": "question",
                "title": "T",
                "description": "",
                "toolInput": {"a": 1},
                "textInput": {},
                "from": "ci",
                "timeout": 0,
            },
            "Ask failed",
        ),
        (lambda far: far.extend("r1", 0), "/prompts/r1/extend", {"seconds": 0}, "Extend failed"),
        (lambda far: far.extend("r1"), "/prompts/r1/extend", {}, "Extend failed"),
    ],
)
@responses.activate
def test_each_answer_is_sent_whole_and_its_failure_says_what_failed(
    far: HttpTransport, call: Any, path: str, sent: dict[str, Any], failure: str
) -> None:
    asked = responses.post(f"{URL}/api{path}", body="<h1>Bad gateway</h1>", status=502)
    with pytest.raises(errors.NotConfirmed, match=failure):
        call(far)
    assert json.loads(asked.calls[0].request.body or "") == sent


@responses.activate
def test_who_waits_is_given_time_for_the_reply(far: HttpTransport) -> None:
    fields = {"error": "no such prompt: 'r1'", "code": "prompt_not_found"}
    asked = responses.get(f"{URL}/api/prompts/r1?wait=30", json=fields, status=404)
    with pytest.raises(errors.NotFound, match="no such prompt"):
        far.wait("r1", 30)
    assert asked.calls[0].request.req_kwargs["timeout"] == (5.0, 90.0)
