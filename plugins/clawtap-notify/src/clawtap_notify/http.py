"""Send notices over HTTP: ntfy's JSON, and a signed webhook."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

import requests

from clawtap_core.model import Notice, NoticeAnswers
from clawtap_notify.notices import Report
from clawtap_notify.settings import Target

TIMEOUT = 10
_BUTTONS = {"approve": "Allow once", "deny": "Deny"}
# Servers before ntfy 2.16 cannot withdraw a notice.
_CANNOT_DELETE = (404, 405)


def send_ntfy(notice: Notice, answers: NoticeAnswers, target: Target, link: str) -> None:
    """Send a notice in place of the one with its tag, or withdraw it."""
    server, _, topic = target.url.rstrip("/").rpartition("/")
    headers = {"Authorization": f"Bearer {target.secret}"} if target.secret else {}
    if notice.kind == "withdrawn":
        gone = requests.delete(
            f"{target.url.rstrip('/')}/{notice.tag}", headers=headers, timeout=TIMEOUT
        )
        if gone.status_code not in _CANNOT_DELETE:
            gone.raise_for_status()
        return
    tokens = answers.for_target("ntfy", target.url) if target.answers else {}
    body: dict[str, Any] = {
        "topic": topic,
        "title": notice.title,
        "message": f"{notice.body}\n{notice.detail}" if tokens else notice.body,
        "priority": 2 if notice.silent else 4 if notice.kind == "prompts" else 3,
        "tags": ["question" if notice.kind == "prompts" else "robot"],
        "sequence_id": notice.tag,
    }
    if link:
        body["click"] = link + notice.path
        body["actions"] = _buttons(notice, tokens, link)
    requests.post(server, json=body, headers=headers, timeout=TIMEOUT).raise_for_status()


def _buttons(notice: Notice, tokens: Mapping[str, str], link: str) -> list[dict[str, Any]]:
    answers = [
        {
            "action": "http",
            "label": _BUTTONS[decision],
            "url": f"{link}/api/notices/answer",
            "method": "POST",
            "headers": {"Content-Type": "application/json"},
            # In the body: URLs end up in logs.
            "body": json.dumps({"token": token}),
            "clear": True,
        }
        for decision, token in tokens.items()
    ]
    return [*answers, {"action": "view", "label": "Open", "url": link + notice.path}]


def send_webhook(report: Report, target: Target, link: str) -> None:
    """Send a report, signed if there is a secret."""
    session = report.session
    body = {
        "event": report.event,
        "title": report.title,
        "message": report.message,
        "link": link + report.path,
        "session": {"id": session.id, "title": report.title, "adapter": session.adapter},
        "at": report.at,
    }
    if report.request_id:
        body["requestId"] = report.request_id
    data = json.dumps(body, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json"}
    if target.secret:
        signed = hmac.new(target.secret.encode(), data, hashlib.sha256).hexdigest()
        headers["X-ClawTap-Signature"] = f"sha256={signed}"
    requests.post(target.url, data=data, headers=headers, timeout=TIMEOUT).raise_for_status()
