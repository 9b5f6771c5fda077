"""The pages without any script: everything can be seen and answered by forms alone."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from webdesk.desk import Desk
from webdesk.samples import FORMS
from webdesk.transport import DeskTransport

from clawtap_core.model import Kind, PromptForm
from webui.assets import digest


def test_the_first_page_holds_every_prompt_and_session(client: FlaskClient, desk: Desk) -> None:
    session = desk.add(title="Shop")
    request = desk.ask(session.id, "shell").request_id
    page = client.get("/")
    assert page.status_code == 200
    assert f'id="prompt-{request}"' in page.text
    assert f'id="session-{session.id}"' in page.text
    assert "<title>(1) ClawTap</title>" in page.text


def test_a_form_answers_without_any_script(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    request = desk.ask(session, "mcp").request_id
    form = {"sessionId": session, "option": "no-suggest-changes", "reason": "not\r\nnow"}
    answer = client.post(f"/prompts/{request}/answer", data=form)
    assert (answer.status_code, answer.location) == (303, "/")
    assert desk.said[-1]["selectedOption"] == "no-suggest-changes"
    assert desk.said[-1]["reason"] == "not\nnow"


def test_several_questions_are_answered_without_any_script(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    request = desk.ask(session, "several").request_id
    form = {
        "sessionId": session,
        "q0": "",
        "q0-other": "DuckDB",
        "q1": ["Login", "Search"],
        "q1-other": "",
        "q2-other": "shop",
    }
    assert client.post(f"/prompts/{request}/answer", data=form).status_code == 303
    assert desk.said[-1]["answers"] == {"0": "DuckDB", "1": ["Login", "Search"], "2": "shop"}


def test_a_note_goes_along_without_any_script(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    request = desk.ask(session, "noted").request_id
    form = {"sessionId": session, "q0": "SQLite", "q0-other": "", "q0-note": " keep\r\nit "}
    assert client.post(f"/prompts/{request}/answer", data=form).status_code == 303
    assert desk.said[-1]["notes"] == {"0": "keep\nit"}
    assert "SQLite · “keep\nit”" in client.get(f"/sessions/{session}").text


def test_the_button_that_sends_a_form_is_not_an_answer_of_its_own(
    client: FlaskClient, desk: Desk
) -> None:
    session = desk.add().id
    request = desk.ask(session, "form").request_id
    form = {
        "sessionId": session,
        "option": "accept",
        "q0-other": "a@b.c",
        "q1-other": "2",
        "q2": "false",
        "q3-other": "secret",
    }
    assert client.post(f"/prompts/{request}/answer", data=form).status_code == 303
    assert desk.said[-1]["answers"]["2"] == "false"


def test_a_late_form_learns_why(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    request = desk.ask(session, "shell").request_id
    form = {"sessionId": session, "option": "allow-once"}
    client.post(f"/prompts/{request}/answer", data=form)
    late = client.post(f"/prompts/{request}/answer", data=form)
    assert late.status_code == 409
    assert "This prompt was answered already" in late.text
    assert len(desk.said) == 1


def test_a_prompt_is_not_answered_through_another_session(client: FlaskClient, desk: Desk) -> None:
    request = desk.ask(desk.add().id, "shell").request_id
    form = {"sessionId": "another", "option": "allow-once"}
    assert client.post(f"/prompts/{request}/answer", data=form).status_code == 404
    assert desk.said == []


def test_a_form_that_is_submitted_again_is_done_once(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    prompt = desk.ask(session, "shell", expires_at=desk.now() + timedelta(minutes=5))
    key = {"Idempotency-Key": "1"}
    for _ in range(2):
        client.post(f"/prompts/{prompt.request_id}/extend", headers=key)
        assert client.post(f"/sessions/{session}/end", headers=key).location == "/"
    assert [said["what"] for said in desk.said] == ["extend", "end"]


def test_messages_keys_and_names_go_by_forms_too(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    path = f"/sessions/{session}"
    assert client.post(f"{path}/message", data={"message": "hi"}).location == path
    desk.ask(session, "shell")
    client.post(f"{path}/message", data={"message": "later"})
    queued = desk.queues[session][0].id
    assert "later" in client.get(path).text
    assert client.post(f"{path}/queue/{queued}/unsend").status_code == 303
    assert desk.queues[session] == []
    client.post(f"{path}/keys", data={"key": "Enter", "screenRev": "0"})
    assert desk.said[-1]["keys"] == ["Enter"]
    late = client.post(f"{path}/keys", data={"text": "rm", "screenRev": "0"})
    assert late.status_code == 409
    assert "nothing was typed" in late.text
    for revision in ("", "x", "9" * 5000):
        odd = client.post(f"{path}/keys", data={"text": "rm", "screenRev": revision})
        assert odd.status_code in (400, 409)
    client.post(f"{path}/rename", data={"title": "Renamed"})
    assert "Renamed" in client.get("/").text
    assert client.post(f"{path}/mode", data={"mode": "yolo"}).status_code == 422
    assert client.post(f"{path}/model", data={"model": "pro"}).location == path
    assert client.post(f"{path}/interrupt").location == path
    assert client.post(f"{path}/end").location == "/"


def test_a_hidden_list_is_expanded_without_any_script(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    request = desk.ask(session, "scrolling").request_id
    done = client.post(f"/prompts/{request}/expand", data={"sessionId": session})
    assert done.location == f"/#prompt-{request}"
    assert "Nano" in client.get("/").text


def test_a_prompt_gets_ten_more_minutes_without_any_script(client: FlaskClient, desk: Desk) -> None:
    soon = desk.now() + timedelta(seconds=100)
    request = desk.ask(desk.add().id, "shell", expires_at=soon).request_id
    assert "10 more minutes" in client.get("/").text
    assert client.post(f"/prompts/{request}/extend").location == f"/#prompt-{request}"
    left = desk.prompts[request].expires_at - soon
    assert 595 < left.total_seconds() < 605
    forever = desk.ask(desk.add().id, "shell").request_id
    client.post(f"/prompts/{forever}/extend")
    assert desk.prompts[forever].expires_at is None


def test_files_go_with_a_message_without_any_script(client: FlaskClient, desk: Desk) -> None:
    path = f"/sessions/{desk.add().id}"
    form = {"message": "look", "files": [(io.BytesIO(b"1"), "a.png"), (io.BytesIO(b"2"), "b.txt")]}
    assert client.post(f"{path}/message", data=form).location == path
    assert desk.said[-1]["files"] == ["a.png", "b.txt"]
    empty = {"message": "no files", "files": (io.BytesIO(b""), "")}
    assert client.post(f"{path}/message", data=empty).location == path
    assert desk.said[-1]["files"] == []
    many = {"message": "x", "files": [(io.BytesIO(b"1"), f"{n}.png") for n in range(11)]}
    page = client.post(f"{path}/message", data=many)
    assert page.status_code == 400
    assert "Not more than 10 in a message" in page.text


def test_one_file_that_is_refused_leaves_none_of_them_behind(
    client: FlaskClient, desk: Desk
) -> None:
    session = desk.add().id
    form = {"message": "look", "files": [(io.BytesIO(b"1"), "a.png"), (io.BytesIO(b"2"), "broken")]}
    page = client.post(f"/sessions/{session}/message", data=form)
    assert page.status_code == 503
    assert "could not be kept" in page.text
    assert desk.files[session] == []


@pytest.mark.parametrize(
    "path", ["/sessions/none", "/prompts/none/answer", "/sessions/none/message"]
)
def test_what_is_gone_is_a_page_that_says_so(path: str, client: FlaskClient) -> None:
    page = client.get(path) if path.endswith("none") else client.post(path, data={"message": "x"})
    assert page.status_code == 404
    assert "Not found" in page.text
    assert 'href="/"' in page.text


def test_an_address_that_does_not_exist_is_a_page_for_people(client: FlaskClient) -> None:
    page = client.get("/nowhere/<b>")
    assert page.status_code == 404
    assert "There is no page at /nowhere/&lt;b&gt;." in page.text
    for path, accept in (("/api/nowhere", "text/html"), ("/nowhere", "application/json")):
        assert client.get(path, headers={"Accept": accept}).json["code"] == "no_such_route"


def test_a_stranger_is_sent_to_the_login_page(app: Flask) -> None:
    stranger = app.test_client()
    page = stranger.get("/sessions/s1", headers={"Accept": "text/html"})
    assert page.status_code == 303
    assert page.location.startswith("/login?next=")
    assert stranger.get("/login").status_code == 200
    assert stranger.get("/settings").status_code != 200
    assert stranger.post("/new", data={"adapter": "demo", "cwd": "/"}).status_code != 200


def test_login_says_what_was_wrong(app: Flask) -> None:
    stranger = app.test_client()
    sent = stranger.post("/api/login", data={"code": "AAAAA-AAAAA", "next": "/settings"})
    page = stranger.get(sent.location)
    assert "This pairing code is wrong" in page.text
    assert 'name="next" value="/settings"' in page.text


def test_every_static_file_is_served_for_ever_under_its_digest(app: Flask) -> None:
    stranger = app.test_client()
    build = digest.digest()
    for path in digest.STATIC.rglob("*"):
        if path.is_file():
            name = path.relative_to(digest.STATIC).as_posix()
            answer = stranger.get(f"/static/{build}/{name}")
            assert answer.status_code == 200
            assert "immutable" in answer.headers["Cache-Control"]
            answer.close()
    old = stranger.get("/static/old/css/base.css")
    assert old.headers["Cache-Control"] == "no-cache"
    old.close()
    assert stranger.get(f"/static/{build}/../plugin.py").status_code == 404


def test_the_digest_changes_with_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    before = digest.digest(tmp_path)
    (tmp_path / "a.js").write_text("2")
    assert digest.digest(tmp_path) != before


@pytest.mark.parametrize(("ready", "command"), [(True, "claude"), (False, "clawtap-demo")])
def test_a_newcomer_is_shown_how_to_start_what_is_installed(
    ready: bool, command: str, client: FlaskClient, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.installed = ready
    monkeypatch.setattr(DeskTransport, "panes", lambda _: [])
    assert f'<code class="install">tmux new-session {command}</code>' in client.get("/adopt").text


def test_every_page_keeps_to_the_policy(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    for form in ("several", "plan", "unknown", "hostile"):
        desk.ask(session, form)
    for path in ("/", f"/sessions/{session}", "/new", "/adopt", "/settings", "/login"):
        page = client.get(path, follow_redirects=True)
        assert page.status_code == 200, path
        assert not re.search(r"<[^>]+\sstyle=", page.text), path
        assert not re.search(r"<script(?![^>]*\ssrc=)", page.text), path
        assert "script-src 'self'" in page.headers["Content-Security-Policy"]


def test_the_colours_are_those_of_adapters_and_terminal(client: FlaskClient) -> None:
    sheet = client.get("/colours.css")
    assert sheet.mimetype == "text/css"
    assert ".brand-gemini{--brand:#4285f4" in sheet.text
    assert ".fg-1{" in sheet.text


def test_the_manifest_names_icons_that_exist(app: Flask) -> None:
    stranger = app.test_client()
    manifest = stranger.get("/manifest.webmanifest").get_json()
    for image in manifest["icons"]:
        answer = stranger.get(image["src"])
        assert answer.status_code == 200
        answer.close()
    assert stranger.get("/favicon.ico").status_code == 302


def test_a_newcomer_is_offered_the_demo_and_sees_how_to_get_a_cli(
    client: FlaskClient, desk: Desk
) -> None:
    desk.installed = False
    page = client.get("/")
    assert 'name="adapter" value="demo"' in page.text
    assert "npm install -g @google/gemini-cli" in page.text


def test_a_new_session_offers_first_what_is_installed(client: FlaskClient, desk: Desk) -> None:
    page = client.get("/new").text
    rest = page.split('<details class="unfolds">')[1].split("</details>")[0]
    assert "1 more, not installed" in rest
    assert "disabled" in rest
    assert "disabled" not in page.split('<details class="unfolds">')[0].split("<main")[1]
    desk.installed = False
    page = client.get("/new").text
    assert "3 more, not installed" in page
    # An adapter for any program is of no CLI that could be installed.
    assert "Another CLI" not in page
    assert "For any other program in a pane that you connect" in client.get("/settings").text


def test_a_session_that_could_not_start_keeps_the_form(client: FlaskClient) -> None:
    form = {"adapter": "gemini", "cwd": "/missing", "message": "hello", "mode-gemini": "yolo"}
    page = client.post("/new", data=form)
    assert page.status_code == 422
    assert "No such folder" in page.text
    assert "hello</textarea>" in page.text
    assert '<option value="yolo" selected>' in page.text


def test_effort_is_offered_where_the_cli_has_levels(client: FlaskClient, desk: Desk) -> None:
    page = client.get("/new").text
    assert 'name="effort-claude"' in page
    assert '<option value="high">High</option>' in page
    assert 'name="effort-gemini"' not in page
    form = {"adapter": "claude", "cwd": "/tmp", "effort-claude": "high", "effort-gemini": "x"}
    assert client.post("/new", data=form).status_code == 303
    assert desk.said[-1]["effort"] == "high"
    refused = client.post("/new", data={**form, "cwd": "/missing"})
    assert '<option value="high" selected>' in refused.text


def test_the_feed_holds_what_was_sent_and_not_what_was_taken_back(
    client: FlaskClient, desk: Desk
) -> None:
    session = desk.add().id
    client.post(f"/sessions/{session}/message", data={"message": "first words"})
    request = desk.ask(session, PromptForm(Kind.LOOP, "Loop?")).request_id
    client.post(f"/sessions/{session}/message", data={"message": "second words"})
    client.post(f"/sessions/{session}/queue/{desk.queues[session][0].id}/unsend")
    page = client.get(f"/sessions/{session}").text
    assert "first words" in page
    assert "second words" not in page
    assert f'id="prompt-{request}"' in page


def test_pairing_shows_a_code_once_and_a_device_is_revoked(client: FlaskClient, app: Flask) -> None:
    page = client.post("/settings/pair").text
    found = re.search(r'pair-code">([^<]+)<', page)
    assert found
    assert "<svg" in page
    other = app.test_client()
    assert other.post("/api/login", json={"code": found[1], "name": "Tablet"}).status_code == 200
    settings = client.get("/settings").text
    assert "Tablet" in settings
    device = re.search(r"/settings/devices/(\w+)/revoke", settings)
    assert device
    client.post(f"/settings/devices/{device[1]}/revoke")
    assert other.get("/api/pending").status_code == 401


def test_open_invitations_are_listed_and_revoked(client: FlaskClient, app: Flask) -> None:
    form = {"name": "Anna <b>", "role": "answer", "seconds": "86400"}
    link = re.search(r"#pair=([A-Z0-9-]+)", client.post("/settings/pair", data=form).text)
    settings = client.get("/settings").text
    shown = re.search(r"/settings/invitations/(\w+)/revoke", settings)
    assert link
    assert shown
    assert "Anna &lt;b&gt;" in settings
    assert "May answer and send messages, until" in settings
    assert link[1] not in settings
    assert client.post(f"/settings/invitations/{shown[1]}/revoke").status_code == 303
    assert "Open invitations" not in client.get("/settings").text
    assert app.test_client().post("/api/login", json={"code": link[1]}).status_code == 401


@pytest.mark.parametrize("command", ['bash -c "rm -rf $x"', "x=$(cat y); eval $x", "true; " * 9000])
def test_a_command_that_cannot_be_followed_does_not_look_harmless(
    client: FlaskClient, desk: Desk, command: str
) -> None:
    form = replace(FORMS["shell"], tool_input={"command": command})
    desk.ask(desk.add().id, form)
    assert "Not checked: " in client.get("/").text


def test_notifications_are_set_and_a_session_is_muted_by_forms(
    client: FlaskClient, desk: Desk
) -> None:
    session = desk.add(title="Noisy").id
    form = {"grace": "60.0", "from": "22:00", "to": "07:00"}
    saved = client.post("/settings/notifications", data=form)
    assert (saved.status_code, saved.location) == (303, "/settings")
    kept = client.get("/api/notices").get_json()
    assert kept == {"grace": 60.0, "quietHours": "22:00-07:00", "buttons": False, "muted": []}
    assert client.post("/settings/notifications", data={**form, "to": ""}).status_code == 400
    muted = client.post(f"/sessions/{session}/mute", data={"muted": "1"})
    assert muted.location == f"/sessions/{session}"
    assert "Unmute notifications" in client.get(f"/sessions/{session}").text
    page = client.get("/settings").text
    assert 'value="22:00"' in page
    assert "Noisy" in page
    heard = client.post(f"/sessions/{session}/mute", data={"settings": "1"})
    assert heard.location == "/settings"
    assert client.get("/api/notices").get_json()["muted"] == []
    assert "Mute notifications" in client.get(f"/sessions/{session}").text
