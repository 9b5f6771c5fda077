"""The notices that stand on the user's devices, kept so that a restart forgets none of them."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawtap_core.errors import UsageError
from clawtap_core.server.private_files import private_folder, read_json, write_private

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """The prompts that a session's notice is about; `in_summary` if the summary tells of them."""

    request_ids: frozenset[str]
    in_summary: bool = False


class ShownNotices:
    """What is shown, by session id, stored in `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # Without it the user is notified again of what waits.
        self._shown = read_json(path, _parse, "the shown notices") or {}

    @property
    def by_session(self) -> Mapping[str, ShownNotice]:
        """The notices that were last stored."""
        return self._shown

    def store(self, shown: Mapping[str, ShownNotice]) -> None:
        """Store what is shown now, if it differs."""
        if shown == self._shown:
            return
        self._shown = dict(shown)
        stored = {
            session_id: {"prompts": sorted(notice.request_ids), "inSummary": notice.in_summary}
            for session_id, notice in shown.items()
        }
        try:
            private_folder(self._path.parent)
            write_private(self._path, json.dumps({"shown": stored}, indent=1) + "\n")
        except UsageError as error:
            # A notice matters more than what the next start knows of it.
            log.warning("the shown notices could not be stored: %s", error.message)


def _parse(stored: Any) -> dict[str, ShownNotice]:
    return {
        str(session_id): ShownNotice(
            frozenset(map(str, notice["prompts"])), bool(notice["inSummary"])
        )
        for session_id, notice in stored["shown"].items()
    }
