"""Send to push services: encrypted for one browser, signed with a key of our own (VAPID)."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from clawtap_core.errors import ErrorCode, Impossible
from clawtap_core.server.push_key import make_push_key, push_installed, read_push_key
from webui.push.subscriptions import Subscription

log = logging.getLogger(__name__)
MISSING = "web push needs one more package: pip install 'clawtap[push]'"
_GONE_STATUSES = (404, 410)
_KEEP_SECONDS = 12 * 3600
_TIMEOUT = 10


def prepare() -> None:
    """Import what sends, before a hook does: its time is limited, and the machine may be busy."""
    if push_installed():
        import pywebpush  # noqa: F401


class Sender:
    """Sends with the VAPID key in `path`, which is created at its first use."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def send(self, to: Subscription, notice: Mapping[str, Any]) -> bool:
        """Send one notice; return False when the subscription has ended."""
        from pywebpush import WebPushException, webpush

        try:
            webpush(
                {"endpoint": to.endpoint, "keys": dict(to.keys)},
                json.dumps(notice, ensure_ascii=False),
                vapid_private_key=self._key,
                vapid_claims={"sub": "mailto:clawtap@example.org"},
                ttl=_KEEP_SECONDS,
                timeout=_TIMEOUT,
                headers={"Urgency": "high", "Topic": str(notice.get("topic", ""))[:32]},
            )
        except WebPushException as error:
            status = error.response.status_code if error.response is not None else None
            if status in _GONE_STATUSES:
                return False
            log.warning("a push service refused a notice: %s", status or error)
        except Exception as error:  # a browser's key may be unusable, the network may be down
            log.warning("a notice could not be sent: %s", type(error).__name__)
        return True

    def check(self) -> None:
        """Raise Impossible with the reason if nothing can be sent."""
        _ = self._key

    @property
    def public_key(self) -> str:
        """The key that a browser subscribes with."""
        from cryptography.hazmat.primitives import serialization

        point = self._key.public_key.public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        return base64.urlsafe_b64encode(point).rstrip(b"=").decode()

    @cached_property
    def _key(self) -> Any:
        if not push_installed():
            raise Impossible(MISSING, code=ErrorCode.PUSH_MISSING)
        return read_push_key(self._path) if self._path.exists() else make_push_key(self._path)
