"""Notices over HTTP: a button's answer, the settings, muted sessions, the desk."""

from __future__ import annotations

import pytest

from clawtap_core.config import Settings
from clawtap_core.model import Event
from clawtap_core.server.app import create_app

from .conftest import NOON


@pytest.fixture
def asked(room, settings):
    """An app over the desk, a prompt that it sent to the phone, and the phone's cookie."""
    app = create_app(room.desk.transport, settings, devices=room.devices, send_notice=room.send)
    room.notices = app.extensions["clawtap"].notices
    room.ask(room.session())
    room.notices.outbox.flush()
    yield app
    room.notices.outbox.close()


def test_a_button_needs_its_token_and_the_login_of_its_device(asked, room):
    token = room.tokens[-1]["approve"]
    _, secret = room.devices.add("other", "browser")
    refused = asked.test_client().post("/api/notices/answer", json={"token": token})
    assert (refused.status_code, refused.get_json()["code"]) == (403, "answer_foreign")
    refused = asked.test_client().post(
        "/api/notices/answer", json={"token": token}, headers={"Authorization": f"Bearer {secret}"}
    )
    assert (refused.status_code, refused.get_json()["code"]) == (403, "answer_foreign")
    assert room.desk.said == []


def test_a_token_opens_nothing_else(asked, room):
    token = room.tokens[-1]["approve"]
    for headers in ({"Authorization": f"Bearer {token}"}, {"Cookie": f"clawtap_3456={token}"}):
        stranger = asked.test_client()
        assert stranger.get("/api/sessions", headers=headers).status_code == 401
        assert stranger.post("/api/notices/answer", headers=headers, json={}).status_code == 400
    assert asked.test_client().post("/api/login", json={"token": token}).status_code == 401
    assert asked.test_client().post("/api/login", json={"code": token}).status_code == 401
    url = f"/api/notices/answer?token={token}"
    assert asked.test_client().post(url, json={}).status_code == 400
    assert asked.test_client().get(url).status_code == 401


def test_another_sites_page_cannot_press_a_button(asked, room):
    token = room.tokens[-1]["approve"]
    refused = asked.test_client().post(
        "/api/notices/answer", json={"token": token}, headers={"Origin": "https://evil.example"}
    )
    assert refused.get_json()["code"] == "origin_not_allowed"


@pytest.mark.parametrize("body", [{}, {"token": 7}, {"token": "short"}, {"token": "x" * 300}, []])
def test_a_body_without_a_token_is_refused(stranger, body):
    refused = stranger.post("/api/notices/answer", json=body)
    assert refused.status_code == 400


def test_the_settings_are_read_and_changed(client):
    before = client.get("/api/notices").get_json()
    assert before == {"grace": 60.0, "quietHours": "", "buttons": True, "muted": []}
    changed = client.patch("/api/notices", json={"quietHours": "22:00-7:00", "grace": 5})
    assert changed.get_json() == {**before, "grace": 5.0, "quietHours": "22:00-7:00"}
    for wrong in ({"quietHours": "late"}, {"grace": -1}, {"grace": "much"}, {"more": 1}):
        assert client.patch("/api/notices", json=wrong).status_code == 400
    assert client.get("/api/notices").get_json()["grace"] == 5.0


def test_a_session_is_muted_and_unmuted(client):
    muted = client.put("/api/sessions/s1/muted", json={"muted": True})
    assert muted.get_json()["muted"] == ["s1"]
    heard = client.put("/api/sessions/s1/muted", json={"muted": False})
    assert heard.get_json()["muted"] == []
    assert client.put("/api/sessions/no/muted", json={"muted": True}).status_code == 404


def test_the_desk_route_says_when_somebody_typed_last(client, stranger):
    assert client.get("/api/desk").get_json() == {"typedAt": 1_780_000_000.5}
    for path in ("/api/desk", "/api/notices"):
        assert stranger.get(path).status_code == 401


def test_the_event_of_a_session_that_is_gone_is_no_error(app):
    notices = app.extensions["clawtap"].notices
    assert isinstance(notices.preferences.settings.grace, float)
    session = app.extensions["clawtap"].transport_for(None).session("s1")
    notices.take(Event("prompt_resolved", NOON, "s1", {"requestId": "never"}), session)
    notices.outbox.close()


def test_settings_of_the_file_are_where_the_page_changed_nothing(room):
    assert Settings().notification_grace == 30.0
    assert room.notices.preferences.settings.grace == 60.0
