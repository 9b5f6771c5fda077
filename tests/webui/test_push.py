"""Push: what is told, when, and to whom; kept, encrypted, and withdrawn."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import responses
from flask import Flask
from flask.testing import FlaskClient
from webdesk.desk import Desk

from clawtap_core.model import Actor, Event, PromptState, Session
from webui import plugin
from webui.push.outbox import Outbox
from webui.push.presence import ALL_SESSIONS, LOOK_SECONDS, Presence
from webui.push.service import Push
from webui.push.subscriptions import Subscription, Subscriptions

pytest.importorskip("pywebpush")
ENDPOINT = "https://push.example/one"
P256DH = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
KEYS = {"p256dh": P256DH, "auth": "tBHItJI5svbpez7KI4CCXg"}


class FakeTimer:
    """Runs when the test says so."""

    made: ClassVar[list[FakeTimer]] = []

    def __init__(self, seconds: float, run: Callable[[], None]) -> None:
        self.seconds, self.run, self.daemon, self.off = seconds, run, False, False
        FakeTimer.made.append(self)

    def start(self) -> None:
        """It waits."""

    def cancel(self) -> None:
        self.off = True


class Box:
    """An outbox whose time a test moves, and what it told."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.told, self.watched = desk, list[tuple[Mapping[str, Any], str]](), False
        FakeTimer.made.clear()
        self.outbox = Outbox(self._tell, lambda _: self.watched, FakeTimer)  # type: ignore[arg-type]

    def _tell(self, notice: Mapping[str, Any], kind: str) -> None:
        self.told.append((notice, kind))

    def happens(self, session: Session, *kinds: str) -> None:
        for event in self.desk.events:
            if event.session_id == session.id and event.type in kinds:
                self.outbox.take(event, session)

    def pass_time(self) -> None:
        for timer in [one for one in FakeTimer.made if not one.off]:
            timer.off = True
            timer.run()


ASKS = ("approval_required", "question_prompt")


@pytest.fixture
def box(desk: Desk) -> Box:
    return Box(desk)


def test_prompts_of_a_session_are_one_notice_with_a_link(desk: Desk, box: Box) -> None:
    session = desk.add(title="Shop")
    first = desk.ask(session.id, "shell").request_id
    desk.ask(session.id, "single")
    box.happens(session, *ASKS)
    assert box.told == []
    box.pass_time()
    ((notice, kind),) = box.told
    assert kind == "prompts"
    assert notice["title"] == "Shop"
    assert notice["body"] == "2 questions need you: Allow execution of [Shell]?"
    assert notice["url"] == f"/sessions/{session.id}#prompt-{first}"
    assert notice["waiting"] == 2
    box.pass_time()
    assert len(box.told) == 1


def test_what_is_in_sight_is_not_told_until_nobody_looks(desk: Desk, box: Box) -> None:
    session = desk.add()
    desk.ask(session.id, "shell")
    box.watched = True
    box.happens(session, *ASKS)
    box.pass_time()
    assert box.told == []
    box.watched = False
    box.pass_time()
    assert len(box.told) == 1


def test_what_was_answered_elsewhere_is_withdrawn(desk: Desk, box: Box) -> None:
    session = desk.add()
    request = desk.ask(session.id, "shell").request_id
    box.happens(session, *ASKS)
    box.pass_time()
    desk.resolve(request, PromptState.ANSWERED, Actor("user", "Pixel 8"))
    box.happens(session, "prompt_resolved")
    box.pass_time()
    notice, kind = box.told[-1]
    assert kind == "withdraw"
    assert notice["close"] is True
    assert notice["body"] == "Answered from Pixel 8"
    assert notice["tag"] == box.told[0][0]["tag"]


def test_what_was_answered_at_once_is_never_told(desk: Desk, box: Box) -> None:
    session = desk.add()
    request = desk.ask(session.id, "shell").request_id
    desk.resolve(request, PromptState.ANSWERED, Actor("user", "Pixel 8"))
    box.happens(session, *ASKS)
    box.happens(session, "prompt_resolved")
    box.pass_time()
    assert box.told == []


def test_a_turn_that_ended_or_failed_is_told(desk: Desk, box: Box) -> None:
    session = desk.add()
    desk.tell("done", session.id, {"sessionId": session.id})
    box.happens(session, "done")
    box.pass_time()
    assert box.told[-1][0]["body"] == "Finished"
    desk.tell("session_error", session.id, {"sessionId": session.id, "error": "no quota \x1b[1m"})
    box.happens(session, "session_error")
    box.pass_time()
    assert box.told[-1] == (
        {**box.told[-1][0], "body": "Failed: no quota ", "url": f"/sessions/{session.id}"}, "turns"
    )  # fmt: skip


def test_who_looks_is_known_for_a_while() -> None:
    now = [0.0]
    presence = Presence(lambda: now[0])
    presence.report("page", "s1")
    presence.report("home", ALL_SESSIONS)
    assert presence.on_screen("s1")
    assert presence.on_screen("s2")
    presence.report("home", None)
    assert not presence.on_screen("s2")
    now[0] = LOOK_SECONDS + 1
    assert not presence.on_screen("s1")


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


def test_a_browser_that_is_gone_is_forgotten(tmp_path: Path, desk: Desk) -> None:
    push = Push(tmp_path)
    push.subscriptions.save(Subscription(ENDPOINT, KEYS, "d1"))
    with responses.RequestsMock() as service:
        service.post(ENDPOINT, status=410)
        push.send_to_all({"title": "x"}, "prompts")
    assert push.subscriptions.all() == []


def test_a_revoked_device_hears_nothing_more(tmp_path: Path) -> None:
    push = Push(tmp_path, alive=lambda device: device != "d1")
    push.subscriptions.save(Subscription(ENDPOINT, KEYS, "d1"))
    with responses.RequestsMock():
        push.send_to_all({"title": "x"}, "prompts")
    assert push.subscriptions.all() == []


def test_only_what_is_wanted_is_sent(tmp_path: Path) -> None:
    push = Push(tmp_path)
    push.subscriptions.save(Subscription(ENDPOINT, KEYS, "d1", turns=False))
    with responses.RequestsMock():
        push.send_to_all({"title": "x"}, "turns")
    assert len(push.subscriptions.all()) == 1


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


def test_the_hook_tells_the_app_of_this_process(
    app: Flask, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = desk.add()
    desk.ask(session.id, "shell")
    (push,) = plugin._pushes
    taken: list[Event] = []
    monkeypatch.setattr(push._outbox, "take", lambda event, _: taken.append(event))
    plugin.notify(desk.events[-2], session)
    assert taken == []
    push.subscriptions.save(Subscription(ENDPOINT, KEYS, "d1"))
    plugin.notify(desk.events[-2], replace(session, title="x"))
    assert len(taken) == 1


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
