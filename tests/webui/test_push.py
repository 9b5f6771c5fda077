"""Web push: subscriptions, what is sent to each browser, encrypted and signed."""

from __future__ import annotations

import base64
import json
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import responses
from flask import Flask
from flask.testing import FlaskClient

from clawtap_core.model import Notice
from webui import plugin
from webui.push.service import Push
from webui.push.subscriptions import Subscription, Subscriptions

pytest.importorskip("pywebpush")
ENDPOINT = "https://push.example/one"
P256DH = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
KEYS = {"p256dh": P256DH, "auth": "tBHItJI5svbpez7KI4CCXg"}


class FakeAnswers:
    """Tokens for the devices that are asked for, by their id."""

    def for_device(self, device_id: str) -> Mapping[str, str]:
        return {"approve": f"yes-{device_id}", "deny": f"no-{device_id}"}

    def for_target(self, name: str, address: str) -> Mapping[str, str]:
        raise AssertionError("a browser is no target")


NOTICE = Notice(
    "prompts",
    "session-s1",
    "Shop",
    "Run a command",
    "/sessions/s1#prompt-r1",
    datetime(2026, 11, 23, tzinfo=timezone.utc),
    request_id="r1",
    detail="make test",
    waiting=2,
)


@pytest.fixture
def pushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Push, list[dict[str, Any]]]:
    """Two phones of which one wants no turns, and the messages that reach them."""
    push, messages = Push(tmp_path), list[dict[str, Any]]()
    push.subscriptions.save(Subscription(ENDPOINT, KEYS, "d1", turns=False))
    push.subscriptions.save(Subscription(f"{ENDPOINT}/2", KEYS, "d2"))

    def send(to: Subscription, message: Mapping[str, Any]) -> bool:
        messages.append({"to": to.device, **message})
        return True

    monkeypatch.setattr(push.sender, "send", send)
    return push, messages


def test_each_browser_gets_tokens_of_its_own(
    pushed: tuple[Push, list[dict[str, Any]]],
) -> None:
    push, messages = pushed
    push.send_to_all(NOTICE, FakeAnswers())
    first, second = messages
    assert first["answers"] == {"approve": "yes-d1", "deny": "no-d1"}
    assert second["answers"] == {"approve": "yes-d2", "deny": "no-d2"}
    assert (first["title"], first["body"]) == ("Shop", "Run a command\nmake test")
    assert (first["url"], first["waiting"], first["asks"]) == (NOTICE.path, 2, True)
    assert (first["topic"], first["close"], first["silent"]) == ("ss1", False, False)


def test_a_notice_without_tokens_shows_only_the_title(
    pushed: tuple[Push, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    push, messages = pushed
    monkeypatch.setattr(FakeAnswers, "for_device", lambda *_: {})
    push.send_to_all(NOTICE, FakeAnswers())
    assert messages[0]["body"] == "Run a command"


def test_turns_reach_only_subscribers_and_withdrawals_reach_all(
    pushed: tuple[Push, list[dict[str, Any]]],
) -> None:
    push, messages = pushed
    push.send_to_all(replace(NOTICE, kind="turns"), FakeAnswers())
    assert [message["to"] for message in messages] == ["d2"]
    push.send_to_all(replace(NOTICE, kind="withdrawn"), FakeAnswers())
    assert [message["close"] for message in messages[1:]] == [True, True]


def test_subscriptions_are_kept_privately(tmp_path: Path) -> None:
    path = tmp_path / "data" / "push.json"
    Subscriptions(path).save(Subscription(ENDPOINT, KEYS, "d1"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = Subscriptions(path)
    assert [one.endpoint for one in kept.all()] == [ENDPOINT]
    kept.drop(ENDPOINT)
    assert Subscriptions(path).all() == []
    path.write_text("{damaged")
    assert Subscriptions(path).all() == []


def test_a_notice_is_encrypted_and_signed(tmp_path: Path) -> None:
    push = Push(tmp_path)
    with responses.RequestsMock() as service:
        service.post(ENDPOINT, status=201)
        assert push.test(Subscription(ENDPOINT, KEYS, "d1"))
        sent = service.calls[0].request
    assert sent.headers["authorization"].startswith("vapid t=")
    assert sent.headers["ttl"] != "0"
    assert b"Notifications reach" not in sent.body
    assert stat.S_IMODE((tmp_path / "vapid.pem").stat().st_mode) == 0o600
    key = Push(tmp_path).sender.public_key
    assert len(base64.urlsafe_b64decode(key + "=")) == 65


def test_a_key_that_cannot_be_read_is_named_with_the_remedy(
    client: FlaskClient, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "vapid.pem").write_text("no key")
    known = client.get("/api/push").get_json()
    assert known["available"] is False
    assert "vapid.pem cannot be read; remove that file" in known["reason"]


def test_a_browser_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    push = Push(tmp_path)
    push.subscriptions.save(Subscription(ENDPOINT, KEYS, "d1"))
    with responses.RequestsMock() as service:
        service.post(ENDPOINT, status=410)
        push.send_to_all(NOTICE, FakeAnswers())
    assert push.subscriptions.all() == []


def test_a_browser_that_is_gone_keeps_no_notice_from_the_next_on_a_full_disk(
    pushed: tuple[Push, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    push, sent = pushed

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    push.subscriptions.save(Subscription("https://push.example/1", KEYS, "revoked"))
    push.subscriptions.save(Subscription("https://push.example/2", KEYS, "d2"))
    monkeypatch.setattr(push, "_alive", lambda device: device != "revoked")
    monkeypatch.setattr("clawtap_core.server.private_files.replace_file", full)
    before = len(sent)
    push.send_to_all(NOTICE, FakeAnswers())
    assert len(sent) > before


def test_a_revoked_device_hears_nothing_more(tmp_path: Path) -> None:
    push = Push(tmp_path, alive=lambda device: device != "d1")
    push.subscriptions.save(Subscription(ENDPOINT, KEYS, "d1"))
    with responses.RequestsMock():
        push.send_to_all(NOTICE, FakeAnswers())
    assert push.subscriptions.all() == []


def test_a_browser_subscribes_tries_and_leaves(client: FlaskClient) -> None:
    known = client.get("/api/push").get_json()
    assert known["available"] is True
    assert known["subscriptions"] == []
    body = {"endpoint": ENDPOINT, "keys": KEYS, "turns": False}
    assert client.post("/api/push", json=body).get_json()["turns"] is False
    assert client.get("/api/push").get_json()["subscriptions"][0]["mine"] is True
    with responses.RequestsMock() as service:
        service.post(ENDPOINT, status=201)
        tried = client.post("/api/push/test", json={"endpoint": ENDPOINT})
    assert tried.get_json() == {"ok": True}
    assert client.delete("/api/push", json={"endpoint": ENDPOINT}).status_code == 200
    assert client.post("/api/push/test", json={"endpoint": ENDPOINT}).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        {"endpoint": "http://169.254.169.254/", "keys": KEYS},
        {"endpoint": "file:///etc/passwd", "keys": KEYS},
        {"endpoint": ENDPOINT},
        {"endpoint": ENDPOINT, "keys": KEYS, "prompts": "much"},
    ],
)
def test_what_is_no_subscription_is_refused(client: FlaskClient, body: Any) -> None:
    refused = client.post("/api/push", json=body)
    assert refused.status_code == 400
    assert "error" in refused.get_json()
    assert client.get("/api/push").get_json()["subscriptions"] == []


def test_push_needs_a_token(app: Flask) -> None:
    assert app.test_client().get("/api/push").status_code == 401


def test_the_hook_reaches_the_app_of_this_process(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    (push,) = plugin._pushes
    sent: list[Notice] = []
    monkeypatch.setattr(push, "send_to_all", lambda notice, _: sent.append(notice))
    plugin.send_notice(NOTICE, FakeAnswers())
    assert sent == [NOTICE]


@pytest.mark.parametrize(
    ("body", "on_screen", "nearby"),
    [
        ({"sessionId": "s1"}, True, True),
        ({"sessionId": "s1", "used": True}, True, True),
        ({"sessionId": "*", "used": True}, True, True),
        ({"sessionId": "s2", "used": True}, False, True),
        ({"used": True}, False, True),
        ({"sessionId": "s1", "used": False}, False, False),
        ({}, False, False),
    ],
)
def test_a_page_reports_what_it_shows_and_whether_it_is_used(
    app: Flask, client: FlaskClient, body: dict[str, Any], on_screen: bool, nearby: bool
) -> None:
    assert client.post("/api/push/watching", json={"page": "p1", **body}).status_code == 200
    presence = app.extensions["clawtap"].notices.presence
    assert (presence.on_screen("s1"), presence.nearby()) == (on_screen, nearby)


def test_the_worker_knows_the_files_of_this_build_and_holds_nothing_private(app: Flask) -> None:
    stranger = app.test_client()
    text = stranger.get("/sw.js").text
    shell = json.loads(text.split("const SHELL = ")[1].split(";\n")[0])
    kept = {path.rpartition("/")[2] for path in shell}
    assert {"offline", "all.js", "all.css", "favicon.svg", "touch.png"} <= kept
    for path in shell:
        with stranger.get(path) as answer:
            assert answer.status_code == 200, path
    assert "ClawTap cannot be reached" in stranger.get("/offline").text
    assert stranger.get("/sw.js").headers["Cache-Control"] == "no-cache"


def test_the_routes_of_push_are_in_the_description_of_the_api(client: Any) -> None:
    paths = client.get("/api/openapi.json").get_json()["paths"]
    assert set(paths["/api/push"]) == {"get", "post", "delete"}
    assert {"/api/push/test", "/api/push/watching", "/api/sessions"} <= set(paths)
    body = paths["/api/push"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["$ref"].endswith("/Subscription")


def test_what_sends_is_imported_before_the_first_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def imported_by(step: Callable[[], object]) -> bool:
        monkeypatch.delitem(sys.modules, "pywebpush", raising=False)
        step()
        return "pywebpush" in sys.modules

    push = Push(tmp_path)
    assert imported_by(lambda: push.subscribe(Subscription(ENDPOINT, KEYS, "d1")))
    assert imported_by(lambda: Push(tmp_path)), "the server started again"
    assert not imported_by(lambda: Push(tmp_path / "none")), "nobody subscribed"
