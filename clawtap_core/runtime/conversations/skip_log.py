"""Telling in the log what stands in transcripts and nobody could read."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from clawtap_core.host import Adapter
from clawtap_core.runtime.cli_versions import CliVersions

log = logging.getLogger(__name__)
AGAIN = 10
"""What became so many times as much is told again."""
MOST = 20
"""So many reasons are told of one transcript: one that is all rubbish does not fill the log."""


class SkipLog:
    """One entry for each transcript and reason, however many records and readings there are."""

    def __init__(self, versions: CliVersions) -> None:
        self._versions = versions
        self._told: dict[Path, dict[str, int]] = {}

    def tell(
        self, path: Path, skipped: Mapping[str, int], adapter: Adapter, version: str | None
    ) -> None:
        """So much was passed over in a transcript by now; `version`: of the CLI that wrote it."""
        if not skipped:
            return
        logged = self._told.setdefault(path, {})
        for why, count in skipped.items():
            before = logged.get(why, 0)
            if count >= max(before * AGAIN, 1) and (before or len(logged) < MOST):
                logged[why] = count
                cli = self._name(adapter, version)
                log.warning("%s, in transcript %r by %s: %d so far", why, str(path), cli, count)

    def _name(self, adapter: Adapter, version: str | None) -> str:
        found = version or self._versions.version(adapter.info) or "of an unknown version"
        return f"{adapter.info.name} {found} (adapter {adapter.id})"
