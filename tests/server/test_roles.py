"""What people with less than all rights try, and invitations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from served_process import TOKEN

from clawtap_core.errors import UsageError
from clawtap_core.model import Role
from clawtap_core.server.app import create_app
from clawtap_core.server.context import device
from clawtap_core.server.devices import Devices
from clawtap_core.server.pairing import Access, PairingCodes
from clawtap_core.server.sse import RENDER

S1 = "/api/sessions/s1"
OWNERS = [
    ("POST", "/api/sessions", {"adapter": "demo", "cwd": "/tmp"}),
    ("POST", "/api/sessions", {"adopt": "%7"}),
    ("PATCH", S1, {"title": "Mine"}),
    ("PATCH", S1, {"archived": True}),
    ("DELETE", S1, None),
    ("POST", f"{S1}/interrupt", None),
    ("POST", f"{S1}/keys", {"keys": ["C-c"], "screenRev": 0}),
    ("POST", f"{S1}/permission-mode", {"mode": "yolo"}),
    ("POST", f"{S1}/model", {"model": "pro"}),
    ("PUT", f"{S1}/muted", {"muted": True}),
    ("POST", "/api/rules", {"rules": [{"name": "all", "decision": "allow"}]}),
    ("DELETE", "/api/rules/all", None),
    ("POST", "/api/devices", {"name": "mine", "role": "owner"}),
    ("POST", "/api/devices/pairing", {"role": "owner"}),
    ("GET", "/api/devices/invitations", None),
    ("DELETE", "/api/devices/invitations/i1", None),
    ("DELETE", "/api/devices/owner", None),
    ("PATCH", "/api/notices", {"buttons": False}),
    ("POST", "/api/prompts", {"title": "Really?"}),
    ("GET", "/api/prompts/r1?wait=1", None),
    ("POST", "/api/hooks/demo/stop", {}),
]
ANSWERS = [
    ("POST", f"{S1}/approve", {"requestId": "r1"}),
    ("POST", f"{S1}/deny", {"requestId": "r1"}),
    ("POST", f"{S1}/respond", {"requestId": "r1", "selectedOption": "yes"}),
    ("POST", "/api/prompts/decide", {"requestIds": ["r1"], "decision": "approve"}),
    ("POST", f"{S1}/message", {"message": "hi"}),
    ("POST", "/api/prompts/r1/extend", {}),
]


@pytest.fixture
def as_role(app: Any, devices: Devices) -> Any:
    def client(role: Role) -> Any:
        made = app.test_client()
        token = devices.add("Anna", role=role)[1]
        made.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        return made

    return client


@pytest.mark.parametrize(("method", "path", "body"), [*OWNERS, *ANSWERS])
def test_a_watcher_changes_nothing(
    as_role: Any, fake: Any, code: Any, method: str, path: str, body: Any
) -> None:
    answer = as_role(Role.WATCH).open(path, method=method, json=body)
    assert (answer.status_code, code(answer)) == (403, "role_needed")
    assert answer.get_json()["details"]["role"] == "watch"
    assert fake.said == []


@pytest.mark.parametrize(("method", "path", "body"), OWNERS)
def test_one_who_answers_does_nothing_else(
    as_role: Any, fake: Any, code: Any, method: str, path: str, body: Any
) -> None:
    answer = as_role(Role.ANSWER).open(path, method=method, json=body)
    assert (answer.status_code, code(answer)) == (403, "role_needed")
    assert answer.get_json()["error"].startswith("this needs the role owner")
    assert fake.said == []


@pytest.mark.parametrize(("method", "path", "body"), ANSWERS)
def test_one_who_answers_is_in_the_journal_by_name(
    as_role: Any, fake: Any, method: str, path: str, body: Any
) -> None:
    assert as_role(Role.ANSWER).open(path, method=method, json=body).status_code == 200
    assert fake.said[-1][-1] == "Anna"


@pytest.mark.parametrize(
    "headers",
    [
        {"X-HTTP-Method-Override": "DELETE"},
        {"X-HTTP-Method": "DELETE"},
        {"X-Method-Override": "DELETE"},
        {"X-Forwarded-For": "127.0.0.1", "X-Original-URL": S1, "X-Rewrite-URL": S1},
        {"X-ClawTap-Role": "owner", "Role": "owner"},
    ],
)
@pytest.mark.parametrize("query", ["", "?_method=DELETE", f"?token={TOKEN}&role=owner"])
def test_no_header_or_query_gives_another_method_or_role(
    as_role: Any, fake: Any, headers: dict[str, str], query: str
) -> None:
    watcher = as_role(Role.WATCH)
    assert watcher.get(f"{S1}{query}", headers=headers).status_code == (400 if query else 200)
    assert watcher.delete(f"{S1}{query}", headers=headers).status_code == 403
    assert watcher.post(f"{S1}/message{query}", headers=headers).status_code == 403
    assert fake.said == []


@pytest.mark.parametrize(
    "path", ["/API/devices", "/api//devices", "/api/devices/", "/api/./devices"]
)
def test_another_spelling_of_a_path_opens_nothing(as_role: Any, path: str) -> None:
    answer = as_role(Role.WATCH).get(path)
    assert answer.status_code in (403, 404)
    assert answer.json["code"] in ("role_needed", "no_such_route")


def test_a_watchers_header_is_not_outdone_by_an_owners_cookie(
    app: Any, devices: Devices, fake: Any
) -> None:
    client = app.test_client()
    client.set_cookie("clawtap_3456", devices.add("mine")[1])
    headers = {"Authorization": f"Bearer {devices.add('Anna', role=Role.WATCH)[1]}"}
    assert client.delete(S1, headers=headers).status_code == 403
    assert fake.said == []


def invited(client: Any, **body: Any) -> str:
    answer = client.post("/api/devices/pairing", json=body)
    assert answer.status_code == 201
    return str(answer.get_json()["code"])


def test_an_invitation_lets_a_person_in_by_the_name_and_role_that_the_owner_said(
    app: Any, client: Any, fake: Any
) -> None:
    code = invited(client, role="answer", name="Anna", seconds=86400)
    guest = app.test_client()
    answer = guest.post("/api/login", json={"code": code, "name": "local"})
    device = answer.get_json()["device"]
    assert (device["name"], device["role"]) == ("Anna", "answer")
    assert guest.get("/api/devices").status_code == 403
    guest.post(f"{S1}/approve", json={"requestId": "r1"})
    assert fake.said[-1][-1] == "Anna"
    listed = client.get("/api/devices").get_json()
    assert [(each["name"], each["role"]) for each in listed] == [
        ("local", "owner"), ("Anna", "answer")
    ]  # fmt: skip


def test_a_link_holds_no_role_to_forge(app: Any, client: Any, code: Any) -> None:
    link = client.post("/api/devices/pairing", json={"role": "watch", "name": "Anna"}).get_json()
    assert link["url"] == f"http://localhost/login#pair={link['code']}"
    forged = app.test_client().post("/api/login", json={"code": link["code"], "role": "owner"})
    assert (forged.status_code, code(forged)) == (400, "bad_request")
    forged = app.test_client().post("/api/login?role=owner", json={"code": link["code"]})
    assert (forged.status_code, code(forged)) == (400, "bad_request")
    entered = app.test_client().post("/api/login", json={"code": link["code"]})
    assert entered.get_json()["device"]["role"] == "watch"


def test_an_invitation_works_once(app: Any, client: Any, code: Any) -> None:
    invitation = invited(client, role="watch", name="Anna")
    assert app.test_client().post("/api/login", json={"code": invitation}).status_code == 200
    again = app.test_client().post("/api/login", json={"code": invitation})
    assert (again.status_code, code(again)) == (401, "wrong_code")


def test_an_invitation_ends_after_its_own_time() -> None:
    now = [0.0]
    codes = PairingCodes(clock=lambda: now[0])
    hour, day = (codes.issue(Access(Role.WATCH, "Anna"), seconds).code for seconds in (3600, 86400))
    assert (len(codes.issue().code), len(hour)) == (11, 29)
    now[0] = 3600.0
    assert codes.use(hour) is None
    assert codes.use(day) == Access(Role.WATCH, "Anna")
    assert codes.use(day) is None


def test_an_invitation_outlives_a_restart_and_only_its_digest_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "data" / "invitations.json"
    issued = PairingCodes(path).issue(Access(Role.ANSWER, "Anna", "d1"), 3600)
    short = PairingCodes(path).issue()
    kept = path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o600
    assert issued.code not in kept
    assert issued.code.replace("-", "") not in kept
    later = PairingCodes(path)
    assert [each.name for each in later.invitations()] == ["Anna"]
    assert later.use(short.code) is None
    assert later.use(issued.code) == Access(Role.ANSWER, "Anna", "d1")
    assert PairingCodes(path).use(issued.code) is None


def test_an_invitation_that_ended_while_nothing_ran_lets_nobody_in(tmp_path: Path) -> None:
    now, path = [1000.0], tmp_path / "invitations.json"
    issued = PairingCodes(path, clock=lambda: now[0]).issue(Access(Role.WATCH, "Anna"), 3600)
    now[0] += 3600
    later = PairingCodes(path, clock=lambda: now[0])
    assert later.invitations() == []
    assert later.use(issued.code) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"invitations": [{"digest": 1}]}', "null", "[" * 100_000]
)
def test_a_damaged_list_of_invitations_lets_nobody_in(tmp_path: Path, text: str) -> None:
    path = tmp_path / "invitations.json"
    path.write_text(text, encoding="utf-8")
    codes = PairingCodes(path)
    assert codes.invitations() == []
    assert codes.issue(Access(Role.WATCH, "Anna"), 3600).invitation


def test_too_many_invitations_are_refused_and_push_none_out(client: Any, code: Any) -> None:
    first = invited(client, role="watch", name="Anna")
    for number in range(49):
        invited(client, role="watch", name=f"guest {number}")
    answer = client.post("/api/devices/pairing", json={"role": "watch", "name": "Bob"})
    assert (answer.status_code, code(answer)) == (429, "too_many_invitations")
    assert client.post("/api/devices/pairing").status_code == 201
    guest = client.application.test_client()
    assert guest.post("/api/login", json={"code": first}).status_code == 200


def test_open_invitations_are_listed_and_revoked(app: Any, client: Any, code: Any) -> None:
    invitation = invited(client, role="answer", name="Anna", seconds=86400)
    client.post("/api/devices/pairing")
    (listed,) = client.get("/api/devices/invitations").get_json()
    assert (listed["name"], listed["role"], listed["by"]) == ("Anna", "answer", "owner")
    assert invitation not in str(listed)
    path = f"/api/devices/invitations/{listed['id']}"
    assert client.delete(path).status_code == 200
    again = client.delete(path)
    assert (again.status_code, code(again)) == (404, "invitation_not_found")
    assert client.get("/api/devices/invitations").get_json() == []
    assert app.test_client().post("/api/login", json={"code": invitation}).status_code == 401


def test_who_was_invited_let_in_and_revoked_is_in_the_journal_by_name(
    fake: Any, settings: Any, devices: Devices
) -> None:
    journal: list[Any] = []
    app = create_app(fake.for_actor, settings, devices=devices, record=journal.append)
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {TOKEN}"
    invitation = invited(client, role="answer", name="Anna")
    guest = app.test_client()
    entered = guest.post("/api/login", json={"code": invitation}).get_json()["device"]
    client.delete(f"/api/devices/{entered['id']}")
    invited(client, role="watch", name="Bob")
    (open_one,) = client.get("/api/devices/invitations").get_json()
    client.delete(f"/api/devices/invitations/{open_one['id']}")
    told = [(e.type, e.data["device"], e.data["name"], e.data["role"]) for e in journal]
    assert told == [
        ("invitation_added", "local", "Anna", "answer"),
        ("device_added", "Anna", "Anna", "answer"),
        ("device_removed", "local", "Anna", "answer"),
        ("invitation_added", "local", "Bob", "watch"),
        ("invitation_removed", "local", "Bob", "watch"),
    ]
    assert invitation not in str(journal)


def test_many_short_codes_do_not_push_an_invitation_out() -> None:
    codes = PairingCodes()
    invitation = codes.issue(Access(Role.WATCH, "Anna"), 86400).code
    for _ in range(30):
        codes.issue()
    assert codes.use(invitation)


def test_the_invitations_of_a_revoked_device_end(app: Any, client: Any, devices: Devices) -> None:
    phone, token = devices.add("phone")
    invitation = client.post(
        "/api/devices/pairing", json={}, headers={"Authorization": f"Bearer {token}"}
    ).get_json()["code"]
    own = invited(client)
    devices.revoke(phone.id)
    assert app.test_client().post("/api/login", json={"code": invitation}).status_code == 401
    assert app.test_client().post("/api/login", json={"code": own}).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"role": "watch"},
        {"role": "answer", "name": " "},
        {"role": "admin", "name": "Anna"},
        {"role": "watch", "name": "a\nb"},
        {"role": "watch", "name": "x" * 81},
        {"seconds": 59},
        {"seconds": 604801},
        {"seconds": "Infinity"},
    ],
)
def test_a_wrong_invitation_is_400(client: Any, body: dict[str, Any]) -> None:
    assert client.post("/api/devices/pairing", json=body).status_code == 400


def test_a_login_with_ones_own_token_keeps_the_role(app: Any, devices: Devices) -> None:
    for role in (Role.WATCH, Role.ANSWER):
        token = devices.add("Anna", role=role)[1]
        answer = app.test_client().post("/api/login", json={"token": token, "name": "local"})
        assert answer.get_json()["device"]["role"] == role.value


def test_a_role_is_kept_and_a_device_without_one_is_the_owners(
    devices: Devices, settings: Any
) -> None:
    path = settings.data_dir / "devices.json"
    old, watcher = devices.add("old")[0], devices.add("Anna", role=Role.WATCH)[0]
    stored = json.loads(path.read_text())
    for each in stored["devices"]:
        if each["id"] == old.id:
            del each["role"]
    path.write_text(json.dumps(stored))
    again = Devices(path, TOKEN)
    assert [again.role(each) for each in (old.id, watcher.id, "owner", "none")] == [
        Role.OWNER, Role.WATCH, Role.OWNER, None
    ]  # fmt: skip
    stored["devices"][1]["role"] = "root"
    path.write_text(json.dumps(stored))
    with pytest.raises(UsageError, match="damaged"):
        Devices(path, TOKEN)


def test_each_role_gets_its_own_rendering_of_an_event(
    app: Any, client: Any, devices: Devices, fake: Any
) -> None:
    def render(event: Any) -> str:
        reader = device()
        assert reader
        return f"<p>{reader.role.value}</p>"

    app.extensions[RENDER] = render
    shown = {}
    for role in Role:
        headers = {"Authorization": f"Bearer {devices.add('Anna', role=role)[1]}"}
        stream = app.test_client().get(
            "/api/events?render=html&after=e1-0", headers=headers, buffered=False
        )
        chunks = stream.iter_encoded()
        next(chunks)
        if not fake.kept:
            fake.publish(fake.event("message"))
        data = next(chunks).decode().partition("data: ")[2]
        shown[role] = json.loads(data)["html"]
        stream.close()
    assert shown == {role: f"<p>{role.value}</p>" for role in Role}
