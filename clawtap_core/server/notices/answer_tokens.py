"""Single-use tokens with which one device can give one answer to one prompt.

A token is 256 random bits; only its SHA-256 is stored.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from clawtap_core.errors import Conflict, ErrorCode, Forbidden, Unauthorized, UsageError
from clawtap_core.model.moments import utc_now
from clawtap_core.server.devices import digest
from clawtap_core.server.private_files import private_folder, read_json, write_private

log = logging.getLogger(__name__)
VALID_FOR = timedelta(minutes=30)
# How long a refusal can say why; later the token is unknown.
_EXPLAINED_FOR = timedelta(days=1)
_MOST = 2000


@dataclass(frozen=True, slots=True)
class AnswerGrant:
    """What a token allows: this decision on this prompt, as long as it asks for this `detail`.

    `login`: the device has to be logged in as well. `spent` says why it is no longer valid.
    """

    session_id: str
    request_id: str
    decision: str
    device_id: str
    detail_digest: str
    login: bool
    expires_at: datetime | None = None
    spent: str = ""


class AnswerTokens:
    """The tokens that were issued, stored in `path`."""

    def __init__(self, path: Path, now: Callable[[], datetime] = utc_now) -> None:
        self._path, self._now = path, now
        self._lock = threading.Lock()
        # Without them the buttons of older notices are refused, which is safe.
        self._grants = read_json(path, _parse, "the answers of notices") or {}

    def issue(self, grant: AnswerGrant) -> str:
        """Return a new token for an answer."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._grants[digest(token)] = replace(grant, expires_at=self._now() + VALID_FOR)
            self._write_if_possible()
        return token

    def take(self, token: str, device_id: str | None) -> AnswerGrant:
        """Use up a token of this device; None is a sender without a login.

        Raises Unauthorized (unknown), Forbidden (another device's), Conflict (used, ended, late),
        UsageError if its use cannot be stored; it stays valid then.
        """
        with self._lock:
            key = digest(token)
            grant = self._grants.get(key)
            if grant is None:
                raise Unauthorized(
                    "this notification is unknown here; open ClawTap to answer",
                    code=ErrorCode.ANSWER_UNKNOWN,
                )
            if grant.login and device_id != grant.device_id:
                raise Forbidden(
                    "this notification was sent to another device; open ClawTap to answer",
                    code=ErrorCode.ANSWER_FOREIGN,
                )
            if grant.spent == "used":
                raise Conflict(
                    "this button was used already; open ClawTap to see the outcome",
                    code=ErrorCode.ANSWER_USED,
                )
            if grant.spent:
                raise Conflict("this prompt no longer needs an answer", code=ErrorCode.PROMPT_ENDED)
            if grant.expires_at is None or self._now() >= grant.expires_at:
                raise Conflict(
                    "this notification is too old to answer from; open ClawTap",
                    code=ErrorCode.ANSWER_EXPIRED,
                )
            self._grants[key] = replace(grant, spent="used")
            try:
                self._write()
            except UsageError:
                # A token that is not known as used would be valid again after a restart.
                self._grants[key] = grant
                raise
            return grant

    def end_prompt(self, request_id: str) -> None:
        """Make every token of a prompt useless."""
        with self._lock:
            ended = {
                key: replace(grant, spent="ended")
                for key, grant in self._grants.items()
                if grant.request_id == request_id and not grant.spent
            }
            if ended:
                self._grants |= ended
                self._write_if_possible()

    def revoke(self, device_id: str) -> None:
        """Remove every token of a device."""
        with self._lock:
            kept = {k: grant for k, grant in self._grants.items() if grant.device_id != device_id}
            if len(kept) != len(self._grants):
                self._grants = kept
                self._write_if_possible()

    def _write_if_possible(self) -> None:
        # What the next start does not know of these is refused there: the token is unknown, its
        # prompt has ended, or its device is gone.
        try:
            self._write()
        except UsageError as error:
            log.warning("the answers of notices could not be stored: %s", error.message)

    def _write(self) -> None:
        oldest = self._now() - _EXPLAINED_FOR
        kept = [
            (key, grant)
            for key, grant in self._grants.items()
            if grant.expires_at and grant.expires_at > oldest
        ]
        self._grants = dict(kept[-_MOST:])
        private_folder(self._path.parent)
        stored = {key: _stored(grant) for key, grant in self._grants.items()}
        write_private(self._path, json.dumps({"answers": stored}, indent=1) + "\n")


def _stored(grant: AnswerGrant) -> Mapping[str, Any]:
    until = grant.expires_at.isoformat() if grant.expires_at else None
    return {**asdict(grant), "expires_at": until}


def _parse(stored: Any) -> dict[str, AnswerGrant]:
    return {
        key: AnswerGrant(**{**fields, "expires_at": datetime.fromisoformat(fields["expires_at"])})
        for key, fields in stored["answers"].items()
    }
