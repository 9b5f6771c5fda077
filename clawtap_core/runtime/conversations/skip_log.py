"""Logging the records of transcripts that were not understood."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from clawtap_core.host import Adapter
from clawtap_core.runtime.cli_versions import CliVersions

log = logging.getLogger(__name__)
AGAIN = 10  # log a reason again whenever its count has grown this many times
MOST = 20  # reasons of one transcript, so that a corrupt one does not fill the log


class SkipLog:
    """A log with one entry for each transcript and reason, however often it is read."""

    def __init__(self, versions: CliVersions) -> None:
        self._versions = versions
        self._logged: dict[Path, dict[str, int]] = {}

    def log(
        self, path: Path, skipped: Mapping[str, int], adapter: Adapter, version: str | None
    ) -> None:
        """Log the counts so far; `version` is that of the CLI that wrote the transcript."""
        if not skipped:
            return
        logged = self._logged.setdefault(path, {})
        for why, count in skipped.items():
            before = logged.get(why, 0)
            if count >= max(before * AGAIN, 1) and (before or len(logged) < MOST):
                logged[why] = count
                number = version or self._versions.version(adapter.info) or "of an unknown version"
                cli = f"{adapter.info.name} {number} (adapter {adapter.id})"
                log.warning("%s, in transcript %r by %s: %d so far", why, str(path), cli, count)
