"""Notices over HTTP: ntfy's JSON, and a signed webhook."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import requests

from clawtap_notify.notices import Notice
from clawtap_notify.wishes import Target, Wishes

PATIENCE = 10


def send(told: Notice, wanted: Wishes) -> None:
    """Send it wherever it is wanted; requests.RequestException when one of them fails."""
    if wanted.ntfy:
        _ntfy(told, wanted.ntfy, wanted.link)
    if wanted.webhook:
        _webhook(told, wanted.webhook, wanted.link)


def _ntfy(told: Notice, to: Target, link: str) -> None:
    server, _, topic = to.url.rstrip("/").rpartition("/")
    body: dict[str, Any] = {
        "topic": topic,
        "title": told.title,
        "message": told.message,
        "priority": 4 if told.urgent else 3,
        "tags": ["question" if told.urgent else "robot"],
    }
    if link:
        body["click"] = link + told.path
    headers = {"Authorization": f"Bearer {to.secret}"} if to.secret else {}
    requests.post(server, json=body, headers=headers, timeout=PATIENCE).raise_for_status()


def _webhook(told: Notice, to: Target, link: str) -> None:
    session = told.session
    body = {
        "event": told.event,
        "title": told.title,
        "message": told.message,
        "link": link + told.path,
        "session": {"id": session.id, "title": told.title, "adapter": session.adapter},
        "at": told.at,
    }
    if told.request_id:
        body["requestId"] = told.request_id
    data = json.dumps(body, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json"}
    if to.secret:
        signed = hmac.new(to.secret.encode(), data, hashlib.sha256).hexdigest()
        headers["X-ClawTap-Signature"] = f"sha256={signed}"
    requests.post(to.url, data=data, headers=headers, timeout=PATIENCE).raise_for_status()
