"""Notices: to whom, with what in them, and what becomes of failures."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import responses
from clawtap_notify import hooks
from clawtap_notify.settings import NotifySettings, load_settings

from clawtap_core.errors import UsageError
from clawtap_core.model import Event, Notice, Session

NOW = datetime(2026, 11, 22, tzinfo=timezone.utc)
SESSION = Session("s1", "gemini", "terminal", "launched", "/p", "Shop \x1b[1mü", NOW, NOW)
BOTH = """
link = "https://tap.example/"
[ntfy]
url = "https://ntfy.example/my-topic"
token = "tk"
[webhook]
url = "https://hook.example/in"
secret = "s3cret"
"""


def event(kind: str, **data: Any) -> Event:
    return Event(kind, NOW, "s1", {"sessionId": "s1", **data})


ASKED = event(
    "approval_required",
    requestId="r1",
    type="permission",
    channel="terminal",
    createdAt=NOW.isoformat(),
    title="Run\nthis?",
    description="rm -rf /secret",
)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "notify.toml"
    monkeypatch.setattr("clawtap_notify.settings.default_file", lambda: tmp_path / "config.toml")
    return path


NOTICE = Notice(
    "prompts", "session-s1", "Shop", "Run this?", "/sessions/s1#prompt-r1", NOW, SESSION, "r1",
    "make test",
)  # fmt: skip


class Answers:
    """Tokens for a target; `asked` is what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def for_device(self, device_id: str) -> dict[str, str]:
        raise AssertionError("ntfy is no device with a login")

    def for_target(self, name: str, address: str) -> dict[str, str]:
        self.asked.append((name, address))
        return {"approve": "token-a", "deny": "token-d"}


def send_to_ntfy(notice: Notice, answers: Answers | None = None) -> dict[str, Any]:
    """Return what ntfy gets."""
    with responses.RequestsMock() as web:
        web.post("https://ntfy.example", status=200)
        hooks.send_notice(notice, answers or Answers())
        body: dict[str, Any] = json.loads(web.calls[0].request.body or b"")
        assert web.calls[0].request.headers["Authorization"] == "Bearer tk"
    return body


OPEN = {"action": "view", "label": "Open", "url": "https://tap.example/sessions/s1#prompt-r1"}


def test_ntfy_gets_the_title_and_a_link_but_neither_contents_nor_answers(config: Path) -> None:
    config.write_text(BOTH)
    answers = Answers()
    assert send_to_ntfy(NOTICE, answers) == {
        "topic": "my-topic",
        "title": "Shop",
        "message": "Run this?",
        "priority": 4,
        "tags": ["question"],
        "sequence_id": "session-s1",
        "click": "https://tap.example/sessions/s1#prompt-r1",
        "actions": [OPEN],
    }
    assert answers.asked == []


def test_ntfy_gets_buttons_where_its_readers_may_answer(config: Path) -> None:
    config.write_text(BOTH.replace('"tk"', '"tk"\nanswers = true'))
    answers = Answers()
    body = send_to_ntfy(NOTICE, answers)
    assert answers.asked == [("ntfy", "https://ntfy.example/my-topic")]
    assert body["message"] == "Run this?\nmake test"
    allow, deny, opens = body["actions"]
    assert allow == {
        "action": "http",
        "label": "Allow once",
        "url": "https://tap.example/api/notices/answer",
        "method": "POST",
        "headers": {"Content-Type": "application/json"},
        "body": '{"token": "token-a"}',
        "clear": True,
    }
    assert (deny["label"], json.loads(deny["body"]), opens) == ("Deny", {"token": "token-d"}, OPEN)


def test_a_notice_that_only_changed_is_quiet(config: Path) -> None:
    config.write_text(BOTH)
    assert send_to_ntfy(replace(NOTICE, silent=True))["priority"] == 2
    assert send_to_ntfy(replace(NOTICE, kind="turns"))["priority"] == 3


@pytest.mark.parametrize(
    ("status", "logged"), [(200, False), (404, False), (405, False), (500, True)]
)
def test_a_withdrawn_notice_is_deleted_where_ntfy_can(
    config: Path, caplog: pytest.LogCaptureFixture, status: int, logged: bool
) -> None:
    config.write_text(BOTH)
    with responses.RequestsMock() as web, caplog.at_level(logging.WARNING):
        web.delete("https://ntfy.example/my-topic/session-s1", status=status)
        hooks.send_notice(replace(NOTICE, kind="withdrawn"), Answers())
        assert web.calls[0].request.headers["Authorization"] == "Bearer tk"
    assert ("could not be sent" in caplog.text) == logged


def test_a_question_reaches_the_webhook_at_once_signed_and_without_its_contents(
    config: Path,
) -> None:
    config.write_text(BOTH)
    with responses.RequestsMock() as web:
        web.post("https://hook.example/in", status=204)
        hooks.notify(ASKED, SESSION)
        hook = web.calls[0].request
    reply = json.loads(hook.body)
    assert (reply["requestId"], reply["session"]["adapter"]) == ("r1", "gemini")
    assert reply["session"]["title"] == "Shop [1mü"
    assert "rm -rf" not in str(hook.body)
    signed = hmac.new(b"s3cret", hook.body, hashlib.sha256).hexdigest()
    assert hook.headers["X-ClawTap-Signature"] == f"sha256={signed}"


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (event("done"), "The turn has ended"),
        (event("session_error", error="no quota"), "Failed: no quota"),
    ],
)
def test_turns_that_ended_or_failed_are_announced(config: Path, event: Event, words: str) -> None:
    config.write_text('[webhook]\nurl = "https://hook.example/in"\n')
    with responses.RequestsMock() as web:
        web.post("https://hook.example/in")
        hooks.notify(event, SESSION)
        assert json.loads(web.calls[0].request.body)["message"] == words


def test_nothing_is_sent_where_nothing_is_wanted(config: Path) -> None:
    with responses.RequestsMock():
        hooks.notify(ASKED, SESSION)
        hooks.send_notice(NOTICE, Answers())
        config.write_text(BOTH)
        hooks.notify(event("prompt_resolved", requestId="r1"), SESSION)


def test_a_failure_is_logged_without_what_it_held(
    config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config.write_text('[ntfy]\nurl = "https://ntfy.example/my-topic"\n')
    with responses.RequestsMock() as web, caplog.at_level(logging.WARNING):
        web.post("https://ntfy.example", status=500)
        hooks.send_notice(NOTICE, Answers())
    assert "500" in caplog.text
    assert "my-topic" not in caplog.text
    assert "Run" not in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "[ntfy",
        "[ntfy]\n",
        '[webhook]\nurl = "file:///etc"\n',
        '[ntfy]\nurl = "https://ntfy.sh/a"\nanswers = "yes"\n',
        '[ntfy]\nurl = "https://ntfy.sh/a"\nanswers = true\n',
        'link = "http://tap.example"\n[ntfy]\nurl = "https://ntfy.sh/a"\nanswers = true\n',
    ],
)
def test_a_wrong_file_is_named(config: Path, text: str) -> None:
    config.write_text(text)
    with pytest.raises(UsageError, match=r"notify\.toml"):
        load_settings()


def test_no_file_is_no_wish(config: Path) -> None:
    assert load_settings() == NotifySettings()


def test_nothing_that_sends_is_loaded_while_there_is_nobody_to_send_to(tmp_path: Path) -> None:
    script = """
import sys
from datetime import datetime, timezone
from clawtap_core.model import Event, Session
from clawtap_notify import hooks
now = datetime.now(timezone.utc)
session = Session("s1", "gemini", "terminal", "launched", "/p", "Shop", now, now)
data = {"sessionId": "s1", "requestId": "r1", "title": "Run this?"}
hooks.notify(Event("approval_required", now, "s1", data), session)
assert "requests" not in sys.modules
"""
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", script], env=env, check=True)
