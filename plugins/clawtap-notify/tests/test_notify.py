"""Notices: to whom, with what in them, and what becomes of failures."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import responses
from clawtap_notify import hooks
from clawtap_notify.settings import NotifySettings, load_settings

from clawtap_core.errors import UsageError
from clawtap_core.model import Event, Session

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


ASKED = event("approval_required", requestId="r1", title="Run\nthis?", description="rm -rf /secret")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "notify.toml"
    monkeypatch.setattr("clawtap_notify.settings.default_file", lambda: tmp_path / "config.toml")
    return path


def test_a_question_goes_to_both_with_a_link_and_without_its_contents(config: Path) -> None:
    config.write_text(BOTH)
    with responses.RequestsMock() as web:
        web.post("https://ntfy.example", status=200)
        web.post("https://hook.example/in", status=204)
        hooks.notify(ASKED, SESSION)
        ntfy, hook = (call.request for call in web.calls)
    assert json.loads(ntfy.body) == {
        "topic": "my-topic",
        "title": "Shop [1mü",
        "message": "Run this?",
        "priority": 4,
        "tags": ["question"],
        "click": "https://tap.example/sessions/s1#prompt-r1",
    }
    assert ntfy.headers["Authorization"] == "Bearer tk"
    told = json.loads(hook.body)
    assert (told["requestId"], told["session"]["adapter"]) == ("r1", "gemini")
    assert "rm -rf" not in str(ntfy.body) + str(hook.body)
    signed = hmac.new(b"s3cret", hook.body, hashlib.sha256).hexdigest()
    assert hook.headers["X-ClawTap-Signature"] == f"sha256={signed}"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (event("done"), "The turn has ended"),
        (event("session_error", error="no quota"), "Failed: no quota"),
    ],
)
def test_turns_that_ended_or_failed_are_told(config: Path, told: Event, words: str) -> None:
    config.write_text('[webhook]\nurl = "https://hook.example/in"\n')
    with responses.RequestsMock() as web:
        web.post("https://hook.example/in")
        hooks.notify(told, SESSION)
        assert json.loads(web.calls[0].request.body)["message"] == words


def test_nothing_is_sent_where_nothing_is_wanted(config: Path) -> None:
    with responses.RequestsMock():
        hooks.notify(ASKED, SESSION)
        config.write_text(BOTH)
        hooks.notify(event("prompt_resolved", requestId="r1"), SESSION)


def test_a_failure_is_logged_without_what_it_held(
    config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config.write_text('[ntfy]\nurl = "https://ntfy.example/my-topic"\n')
    with responses.RequestsMock() as web, caplog.at_level(logging.WARNING):
        web.post("https://ntfy.example", status=500)
        hooks.notify(ASKED, SESSION)
    assert "500" in caplog.text
    assert "my-topic" not in caplog.text
    assert "Run" not in caplog.text


@pytest.mark.parametrize("text", ["[ntfy", "[ntfy]\n", '[webhook]\nurl = "file:///etc"\n'])
def test_a_wrong_file_is_named(config: Path, text: str) -> None:
    config.write_text(text)
    with pytest.raises(UsageError, match=r"notify\.toml"):
        load_settings()


def test_no_file_is_no_wish(config: Path) -> None:
    assert load_settings() == NotifySettings()
