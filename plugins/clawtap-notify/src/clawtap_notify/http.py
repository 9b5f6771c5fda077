"""Send notices over HTTP: ntfy's JSON, and a signed webhook."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import requests

from clawtap_notify.notices import Notice
from clawtap_notify.settings import NotifySettings, Target

TIMEOUT = 10


def send(notice: Notice, settings: NotifySettings) -> None:
    """Send a notice to every target; raise requests.RequestException if one fails."""
    if settings.ntfy:
        _ntfy(notice, settings.ntfy, settings.link)
    if settings.webhook:
        _webhook(notice, settings.webhook, settings.link)


def _ntfy(notice: Notice, target: Target, link: str) -> None:
    server, _, topic = target.url.rstrip("/").rpartition("/")
    body: dict[str, Any] = {
        "topic": topic,
        "title": notice.title,
        "message": notice.message,
        "priority": 4 if notice.urgent else 3,
        "tags": ["question" if notice.urgent else "robot"],
    }
    if link:
        body["click"] = link + notice.path
    headers = {"Authorization": f"Bearer {target.secret}"} if target.secret else {}
    requests.post(server, json=body, headers=headers, timeout=TIMEOUT).raise_for_status()


def _webhook(notice: Notice, target: Target, link: str) -> None:
    session = notice.session
    body = {
        "event": notice.event,
        "title": notice.title,
        "message": notice.message,
        "link": link + notice.path,
        "session": {"id": session.id, "title": notice.title, "adapter": session.adapter},
        "at": notice.at,
    }
    if notice.request_id:
        body["requestId"] = notice.request_id
    data = json.dumps(body, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json"}
    if target.secret:
        signed = hmac.new(target.secret.encode(), data, hashlib.sha256).hexdigest()
        headers["X-ClawTap-Signature"] = f"sha256={signed}"
    requests.post(target.url, data=data, headers=headers, timeout=TIMEOUT).raise_for_status()
