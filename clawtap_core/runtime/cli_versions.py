"""The versions of installed CLIs, asked once for each program file."""

from __future__ import annotations

import re
import shutil
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from clawtap_core.model import AdapterInfo
from clawtap_core.system.processes import program_output

# Some take 13 s of CPU to start, so on a busy machine they are asked again, with more patience.
SECONDS = (20, 60, 180)
_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


class CliVersions:
    """The versions of installed programs, asked in the background."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        self._known: dict[tuple[str, float], str] = {}
        self._tries: Counter[tuple[str, float]] = Counter()
        self._asking: set[tuple[str, float]] = set()
        self._lock = threading.Lock()

    def installed(self, info: AdapterInfo) -> str | None:
        """Return the path of the adapter's program, or None."""
        argv = info.version_argv or info.commands
        return shutil.which(argv[0], path=self._env.get("PATH")) if argv else None

    def version(self, info: AdapterInfo) -> str | None:
        """Return the version if it is known already; otherwise ask in the background."""
        if (key := self._program(info)) is None:
            return None
        with self._lock:
            known, tries = self._known.get(key), self._tries[key]
            if known or key in self._asking or tries == len(SECONDS):
                return known
            self._tries[key] += 1
            self._asking.add(key)
        threading.Thread(target=self._ask, args=(key, info, SECONDS[tries]), daemon=True).start()
        return None

    def asked(self, info: AdapterInfo) -> str | None:
        """Return the version, waiting for it."""
        if (key := self._program(info)) is None:
            return None
        self._ask(key, info, SECONDS[0])
        return self._known.get(key)

    def _program(self, info: AdapterInfo) -> tuple[str, float] | None:
        """Return the path of a program that says its version, and when its file last changed."""
        path = self.installed(info)
        if path is None or not info.version_argv:
            return None
        # An update may just have replaced it.
        with suppress(OSError):
            return path, Path(path).stat().st_mtime
        return None

    def _ask(self, key: tuple[str, float], info: AdapterInfo, seconds: float) -> None:
        output = program_output(key[0], *info.version_argv[1:], seconds=seconds, env=self._env)
        version = _VERSION.search(output or "")
        with self._lock:
            self._asking.discard(key)
            if version:
                self._known[key] = version[0]
