"""Notices to a user who is elsewhere, and the answers that they may carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from clawtap_core.model.session import Session


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice; it replaces an earlier one with the same `tag`.

    `kind`: "prompts", "turns", or "withdrawn" to remove it; `body` then says why.
    `detail` is all that the prompt `request_id` would do: only then it can be answered from the
    notice. `silent`: it only brings an earlier one up to date. `waiting`: how many prompts need
    the user. `session` is None in a summary of several.
    """

    kind: str
    tag: str
    title: str
    body: str
    path: str
    at: datetime
    session: Session | None = None
    request_id: str | None = None
    detail: str = ""
    silent: bool = False
    waiting: int = 0


class NoticeAnswers(Protocol):
    """Single-use tokens for the answers that a notice offers: by "approve" and "deny", or none."""

    def for_device(self, device_id: str) -> Mapping[str, str]:
        """Return tokens that only this device can use, logged in."""

    def for_target(self, name: str, address: str) -> Mapping[str, str]:
        """Return tokens for a target without a login, which is listed as a device by this name."""
