from __future__ import annotations

from typing import Any

import pytest

from clawtap_core.errors import ErrorCode, Impossible, NotConfirmed, NotFound
from clawtap_core.model import LaunchRequest, QueuedMessage, Response
from clawtap_core.schemas import load

S1 = "/api/sessions/s1"


def test_health_needs_no_token(stranger: Any) -> None:
    answer = stranger.get("/healthz")
    assert answer.status_code == 200
    assert answer.get_json()["ok"] is True
    assert answer.get_json()["version"]


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        ("/api/adapters", "id", "demo"),
        ("/api/plugins", "status", "loaded"),
        ("/api/panes", "pane", "%7"),
        ("/api/folders", "path", "/home/me/p"),
        ("/api/sessions", "id", "s1"),
        ("/api/pending", "requestId", "r1"),
        (f"{S1}/pending", "requestId", "r1"),
    ],
)
def test_what_is_here_is_listed(client: Any, path: str, key: str, value: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.get_json()[0][key] == value


@pytest.mark.parametrize("path", ["machines", "adapters", "plugins", "panes", "folders"])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_tuple_of_any_length_is_a_list(client: Any, fake: Any, path: str, count: int) -> None:
    several = tuple(getattr(fake, path)()) * count
    setattr(fake, path, lambda **_: several)
    answer = client.get(f"/api/{path}")
    assert (answer.status_code, len(answer.get_json())) == (200, count)


def test_a_session_is_started(client: Any, fake: Any) -> None:
    body = {"adapter": "demo", "cwd": "/tmp", "permissionMode": "plan", "args": ["-x"]}
    answer = client.post("/api/sessions", json=body)
    assert answer.status_code == 201
    assert answer.get_json()["id"] == "s2"
    wanted = LaunchRequest("demo", "/tmp", permission_mode="plan", args=("-x",))
    assert fake.said == [("start", wanted, "local")]


def test_lost_sessions_are_restored_all_or_those_that_are_named(client: Any, fake: Any) -> None:
    for body in ({}, {"sessions": ["s1"], "dryRun": True}):
        answer = client.post("/api/sessions/restore", json=body)
        assert (answer.status_code, answer.get_json()) == (200, {"sessions": []})
    assert fake.said == [("restore", (), False, "local"), ("restore", ("s1",), True, "local")]


@pytest.mark.parametrize("wrong", [{"sessions": "s1"}, {"dryRun": "perhaps"}, {"all": True}])
def test_a_wrong_restore_starts_nothing(client: Any, fake: Any, wrong: dict[str, Any]) -> None:
    assert client.post("/api/sessions/restore", json=wrong).status_code == 400
    assert fake.said == []


def test_a_pane_is_adopted(client: Any, fake: Any) -> None:
    answer = client.post("/api/sessions", json={"adopt": "%12", "adapter": "demo"})
    assert answer.status_code == 201
    assert answer.get_json()["origin"] == "adopted"
    assert fake.said == [("adopt", "%12", "demo", "local")]


def test_a_session_is_read_renamed_and_ended(client: Any, fake: Any) -> None:
    assert client.get(S1).get_json()["state"] == "starting"
    assert client.patch(S1, json={"title": "new"}).get_json()["title"] == "new"
    assert client.delete(S1).get_json() == {"ok": True}
    assert [said[0] for said in fake.said] == ["rename", "end"]


def test_a_message_is_sent(client: Any) -> None:
    answer = client.post(f"{S1}/message", json={"message": "hi"})
    assert (answer.status_code, answer.get_json()) == (200, {"status": "sent"})


def test_a_file_is_attached_sent_and_removed(client: Any, fake: Any) -> None:
    answer = client.post(f"{S1}/files?name=a.png", data=b"\x89PNG\x00")
    assert answer.status_code == 201
    assert answer.get_json() == {
        "id": "f1", "name": "a.png", "size": 5, "path": "/files/s1/f1-a.png"
    }  # fmt: skip
    body = {"message": "look", "attachments": ["f1"]}
    assert client.post(f"{S1}/message", json=body).status_code == 200
    assert client.delete(f"{S1}/files/f1").get_json() == {"ok": True}
    assert [said[:-1] for said in fake.said] == [
        ("attach", "s1", "a.png", b"\x89PNG\x00"),
        ("message", "s1", "look", "f1"),
        ("detach", "s1", "f1"),
    ]


def test_a_file_may_be_larger_than_other_bodies_but_has_its_own_limit(
    client: Any, code: Any
) -> None:
    whole = client.post(f"{S1}/files?name=a.bin", data=bytes(3 * 1024 * 1024))
    assert whole.get_json()["size"] == 3 * 1024 * 1024
    answer = client.post(f"{S1}/files?name=a.bin", data=bytes(20 * 1024 * 1024 + 1))
    assert (answer.status_code, code(answer)) == (413, "attachment_too_large")
    assert answer.get_json()["error"] == "a file may have 20 MB at most"


def test_a_file_has_a_name(client: Any) -> None:
    answer = client.post(f"{S1}/files", data=b"x")
    assert (answer.status_code, answer.get_json()["error"]) == (400, "name is required")


def test_a_message_to_a_busy_session_is_queued(client: Any, fake: Any) -> None:
    fake.busy = True
    answer = client.post(f"{S1}/message", json={"message": "hi"})
    assert answer.status_code == 202
    assert answer.get_json() == {"status": "queued", "messageId": "m1"}


def test_queued_messages_are_listed_edited_and_taken_back(client: Any, fake: Any) -> None:
    fake.queued["m1"] = QueuedMessage("m1", "s1", "hi", fake.noon)
    assert client.get(f"{S1}/queue").get_json()[0]["message"] == "hi"
    edited = client.patch(f"{S1}/queue/m1", json={"message": "ho"})
    assert edited.get_json()["message"] == "ho"
    assert client.delete(f"{S1}/queue/m1").get_json() == {"ok": True}


def test_a_queued_message_that_is_gone_is_404(client: Any, code: Any) -> None:
    answer = client.delete(f"{S1}/queue/m9")
    assert (answer.status_code, code(answer)) == (404, "message_not_found")


@pytest.mark.parametrize("key", ["requestId", "toolCallId"])
@pytest.mark.parametrize("name", ["r1", "call-1"])
def test_either_key_takes_either_id(client: Any, fake: Any, key: str, name: str) -> None:
    answer = client.post(f"{S1}/approve", json={key: name})
    assert answer.status_code == 200
    assert fake.said == [("respond", "s1", Response(name, decision="approve"), "local")]


def test_the_reply_to_an_answer_says_how_the_prompt_ended(client: Any) -> None:
    reply = client.post(f"{S1}/approve", json={"requestId": "r1"}).get_json()
    assert set(reply) == {"ok", "requestId", "state", "resolution"}
    assert (reply["ok"], reply["requestId"], reply["state"]) == (True, "r1", "answered")
    assert reply["resolution"]["by"] == "user"
    assert reply["resolution"]["device"] == "local"


@pytest.mark.parametrize(
    ("route", "body", "response"),
    [
        ("approve", {"decision": "allow"}, Response("r1", decision="approve")),
        ("approve", {"decision": "deny"}, Response("r1", decision="deny")),
        ("approve", {"option": "always"}, Response("r1", "always")),
        ("deny", {"reason": "no"}, Response("r1", reason="no", decision="deny")),
        ("respond", {"selectedOption": "yes"}, Response("r1", "yes")),
        ("respond", {"textValue": "do it"}, Response("r1", text_value="do it")),
    ],
)
def test_each_way_to_answer_is_one_response(
    client: Any, fake: Any, route: str, body: dict[str, Any], response: Response
) -> None:
    answer = client.post(f"{S1}/{route}", json={"requestId": "r1", **body})
    assert answer.status_code == 200
    assert fake.said[-1][2] == response


@pytest.mark.parametrize("route", ["submit-answers", "answer"])
def test_answers_are_keyed_by_question(client: Any, fake: Any, route: str) -> None:
    answers = {"0": "Red", "1": ["A", "B"], "2": '["A"]'}
    body = {"toolCallId": "call-2", "answers": answers}
    assert client.post(f"{S1}/{route}", json=body).status_code == 200
    assert fake.said[-1][2].answers == {"0": "Red", "1": ("A", "B"), "2": '["A"]'}


@pytest.mark.parametrize("body", [{}, {"toolCallId": "x"}, {"answers": {"0": "a"}}])
@pytest.mark.parametrize("route", ["submit-answers", "answer"])
def test_missing_answers_are_refused_with_the_seeds_sentence(
    client: Any, fake: Any, route: str, body: dict[str, Any]
) -> None:
    answer = client.post(f"{S1}/{route}", json=body)
    assert answer.status_code == 400
    assert answer.get_json()["error"] == "toolCallId and answers are required"
    assert fake.said == []


@pytest.mark.parametrize(
    ("route", "body", "sentence"),
    [
        ("submit-answers", {"answers": {"0": "Option A"}}, "No pending question"),
        ("approve", {}, "Unknown approval request"),
        ("deny", {}, "Unknown approval request"),
        ("respond", {"selectedOption": "x"}, "No pending prompt"),
    ],
)
def test_an_unknown_prompt_is_404_with_the_seeds_sentence(
    client: Any, route: str, body: dict[str, Any], sentence: str
) -> None:
    answer = client.post(f"{S1}/{route}", json={"requestId": "r9", **body})
    assert answer.status_code == 404
    assert answer.get_json()["error"] == sentence


def test_the_sentence_says_what_is_missing_if_that_is_not_the_prompt(
    client: Any, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: Any) -> None:
        raise NotFound("no such pane: %7", code=ErrorCode.PANE_NOT_FOUND)

    monkeypatch.setattr(fake, "respond", gone)
    answer = client.post(f"{S1}/approve", json={"requestId": "r1"})
    assert answer.status_code == 404
    assert answer.get_json() == {"error": "no such pane: %7", "code": "pane_not_found"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PATCH", "", {"title": "x"}),
        ("DELETE", "", None),
        ("POST", "/message", {"message": "x"}),
        ("GET", "/queue", None),
        ("GET", "/pending", None),
        ("GET", "/screen", None),
        ("GET", "/events", None),
        ("POST", "/keys", {"keys": ["Enter"], "screenRev": 0}),
        ("POST", "/approve", {"requestId": "r1"}),
        ("POST", "/submit-answers", {"requestId": "r2", "answers": {"0": "a"}}),
        ("POST", "/expand", {"requestId": "r1"}),
        ("POST", "/interrupt", None),
        ("POST", "/permission-mode", {"mode": "x"}),
        ("POST", "/model", {"model": "x"}),
        ("POST", "/resume-later", {"message": "x"}),
        ("DELETE", "/resume-later", None),
        ("DELETE", "/limit", None),
    ],
)
def test_an_unknown_session_is_404(
    client: Any, code: Any, method: str, path: str, body: Any
) -> None:
    answer = client.open(f"/api/sessions/s9{path}", method=method, json=body)
    assert (answer.status_code, code(answer)) == (404, "session_not_found")


def test_a_session_is_resumed_after_its_limit_or_its_limit_dismissed(
    client: Any, fake: Any
) -> None:
    planned = client.post(f"{S1}/resume-later", json={"message": "go on"}).get_json()
    assert planned["limit"] == {"text": "no more", "resume": "go on"}
    assert "resume" not in client.delete(f"{S1}/resume-later").get_json()["limit"]
    assert client.delete(f"{S1}/limit").status_code == 200
    assert [said[0] for said in fake.said] == ["resume_later", "resume_later", "dismiss_limit"]


@pytest.mark.parametrize(
    "body", [{}, {"message": " "}, {"message": 3}, {"message": "x", "at": "1"}]
)
def test_a_resume_without_a_message_is_refused(client: Any, fake: Any, body: Any) -> None:
    assert client.post(f"{S1}/resume-later", json=body).status_code == 400
    assert fake.said == []


def test_a_second_answer_is_409_and_says_who_was_first(client: Any, code: Any) -> None:
    client.post(f"{S1}/approve", json={"requestId": "r1"})
    late = client.post(f"{S1}/deny", json={"requestId": "r1"})
    assert (late.status_code, code(late)) == (409, "already_answered")
    assert late.get_json()["details"] == {"device": "local"}


def test_what_was_not_seen_to_arrive_is_502(client: Any, fake: Any, code: Any) -> None:
    fake.fails = NotConfirmed("the prompt still stands there")
    answer = client.post(f"{S1}/approve", json={"requestId": "r1"})
    assert (answer.status_code, code(answer)) == (502, "not_confirmed")


def test_a_prompt_is_read_by_either_id_and_expanded(client: Any) -> None:
    assert client.get("/api/prompts/call-1").get_json()["requestId"] == "r1"
    assert client.get("/api/prompts/r9").status_code == 404
    expanded = client.post(f"{S1}/expand", json={"requestId": "r1"})
    assert expanded.get_json()["options"][0]["value"] == "yes"


def test_a_screen_is_text_and_escaped_html(client: Any, fake: Any) -> None:
    reply = client.get(f"{S1}/screen").get_json()
    assert reply["text"] == "red & <b>"
    assert reply["html"] == '<span class="fg-1">red</span> &amp; &lt;b&gt;'
    assert (reply["revision"], reply["cols"], reply["rows"]) == (0, 20, 2)
    assert load(type(fake.shown), reply) == fake.shown


def test_keys_are_pressed_on_the_screen_that_was_seen(client: Any, fake: Any) -> None:
    answer = client.post(f"{S1}/keys", json={"keys": ["Down", "Enter"], "screenRev": 0})
    assert answer.get_json()["revision"] == 1
    assert fake.said == [("keys", 0, ("Down", "Enter"), "", "local")]
    assert client.post(f"{S1}/keys", json={"text": "hi", "screenRev": 0}).status_code == 200


def test_keys_on_another_screen_are_409(client: Any, code: Any) -> None:
    answer = client.post(f"{S1}/keys", json={"keys": ["Enter"], "screenRev": 7})
    assert (answer.status_code, code(answer)) == (409, "screen_changed")


@pytest.mark.parametrize("body", [{"keys": ["Nope"]}, {"keys": []}, {"text": "a\x1bb"}, {}])
def test_keys_that_are_none_are_refused(client: Any, fake: Any, body: dict[str, Any]) -> None:
    assert client.post(f"{S1}/keys", json={"screenRev": 0, **body}).status_code == 400
    assert fake.said == []


def test_a_session_is_interrupted_and_switched(client: Any) -> None:
    assert client.post(f"{S1}/interrupt").get_json()["state"] == "idle"
    assert client.post(f"{S1}/permission-mode", json={"mode": "plan"}).get_json()["mode"] == "plan"
    assert client.post(f"{S1}/model", json={"model": "pro"}).get_json()["model"] == "pro"


def test_what_the_cli_cannot_do_is_422(client: Any, fake: Any, code: Any) -> None:
    answer = client.post(f"{S1}/permission-mode", json={"mode": "nonsense"})
    assert (answer.status_code, code(answer)) == (422, "unknown_permission_mode")
    fake.fails = Impossible("no")
    assert client.post(f"{S1}/interrupt").status_code == 422


def test_the_journal_is_read_in_pieces(client: Any, fake: Any) -> None:
    fake.publish(fake.event("session_status"))
    answer = client.get("/api/journal?after=0&limit=5&sessionId=s1")
    assert answer.get_json()["last"] == 1
    assert answer.get_json()["events"][0]["type"] == "session_status"
    assert fake.said == [("journal", 0, 5, "s1", "local")]


def test_the_latest_events_are_read_newest_first(client: Any, fake: Any) -> None:
    fake.publish(fake.event("session_status"))
    answer = client.get("/api/journal/latest?types=a,b&limit=5&sessionId=s1&cursor=9")
    assert answer.get_json()["events"][0]["type"] == "session_status"
    assert answer.get_json()["missing"] == []
    asked = {"types": ("a", "b"), "session_id": "s1", "cursor": "9", "limit": 5}
    assert fake.said == [("latest_events", asked, "local")]


@pytest.mark.parametrize("query", ["after=-1", "limit=0", "limit=x", "limit=99999999", "what=1"])
def test_a_wrong_query_is_400(client: Any, query: str) -> None:
    assert client.get(f"/api/journal?{query}").status_code == 400


def test_a_url_can_be_built_from_its_route(client: Any) -> None:
    routes = client.application.url_map.bind("localhost")
    endpoint, values = routes.match("/api/sessions/s 2/queue/m1", "DELETE")
    assert values == {"session_id": "s 2", "message_id": "m1"}
    assert routes.build(endpoint, {**values, "why": "it"}) == "/api/sessions/s%202/queue/m1?why=it"
    assert routes.build(endpoint, values, append_unknown=False) == "/api/sessions/s%202/queue/m1"
