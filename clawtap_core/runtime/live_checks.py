"""Live checks of the CLIs on this machine, each in a process of its own."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Impossible
from clawtap_core.host import Host
from clawtap_core.model import CheckState, LiveCheckStatus, StepResult
from clawtap_core.model.live_check import longer_check
from clawtap_core.runtime.cli_versions import CliVersions
from clawtap_core.schemas import dump, load
from clawtap_core.system.atomic_file import read_file, replace_file
from clawtap_core.system.own_program import own_program

log = logging.getLogger(__name__)
SECONDS = 90.0  # for the steps of a check
_AROUND = 150.0  # seconds more until it is ended; some CLIs take a minute to start
_ENDING = 10.0  # seconds
_BROKEN = "the check ended without a result"


class LiveChecks:
    """Runs `clawtap doctor --live` for one CLI at a time, and remembers what each check found.

    Results and failing screens are stored in `folder`; without one they are kept in memory only.
    """

    def __init__(
        self, host: Host, versions: CliVersions, env: Mapping[str, str], folder: Path | None
    ) -> None:
        self._host = host
        self._versions = versions
        self._env = dict(env)
        self._folder = folder
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        self._latest = _read(self._file)

    def latest(self, adapter_id: str) -> LiveCheckStatus | None:
        """Return the latest check of an adapter's CLI, or None."""
        return self._latest.get(adapter_id)

    def start(self, adapter_id: str) -> LiveCheckStatus:
        """Start a check; raise Impossible where there can be none, Conflict while one runs."""
        adapter = self._host.adapter(adapter_id)
        name = adapter.info.name
        if not adapter.has("live_check"):
            raise Impossible(f"there is no live check for {name}", code=ErrorCode.CANNOT_ACT)
        program = self._versions.installed(adapter.info)
        if program is None:
            raise Impossible(
                f"{name} is not installed on this machine", code=ErrorCode.CLI_NOT_INSTALLED
            )
        with self._lock:
            if self._process or self._closed:
                raise Conflict(
                    "a live check is running on this machine; try again when it has ended",
                    code=ErrorCode.CHECK_RUNNING,
                )
            seconds = next_seconds(self._latest.get(adapter_id))
            self._process = process = self._run(adapter_id, program, seconds)
            status = LiveCheckStatus(
                adapter_id, CheckState.RUNNING, datetime.now(timezone.utc), seconds=seconds
            )
            self._latest = {**self._latest, adapter_id: status}
        limit = seconds + _AROUND
        threading.Thread(target=self._finish, args=(process, status, limit), daemon=True).start()
        return status

    def close(self) -> None:
        """End the check that runs."""
        with self._lock:
            self._closed, process = True, self._process
        if process:
            _end(process)

    @property
    def _file(self) -> Path | None:
        return self._folder and self._folder / "results.json"

    def _run(self, adapter_id: str, program: str, seconds: float) -> subprocess.Popen[str]:
        argv = [*own_program("clawtap_core.cli"), "doctor", "--live", adapter_id, "--json"]
        argv += ["--program", program, "--timeout", f"{seconds:g}"]
        if self._folder:
            argv += ["--screens", str(self._folder / adapter_id)]
        try:
            return subprocess.Popen(
                argv,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise Impossible(
                f"the check could not be started: {error.strerror or error}",
                code=ErrorCode.CANNOT_ACT,
            ) from error

    def _finish(
        self, process: subprocess.Popen[str], status: LiveCheckStatus, limit: float
    ) -> None:
        with process:  # closes its pipes, whatever still holds them
            try:
                ended = _result(status, *process.communicate(timeout=limit))
            except subprocess.TimeoutExpired:
                _end(process)
                why = f"the check took over {limit:.0f} seconds"
                ended = replace(status, state=CheckState.BROKEN, error=why)
        with self._lock:
            self._process = None
            self._latest = {**self._latest, status.adapter: ended}
            if not self._closed:
                self._save()

    def _save(self) -> None:
        if path := self._file:
            kept = [
                dump(status)
                for status in self._latest.values()
                if status.state is not CheckState.RUNNING
            ]
            try:
                replace_file(path, json.dumps(kept, indent=1).encode())
            except OSError as error:
                log.warning("the results of live checks were not stored: %s", error.strerror)


def next_seconds(latest: LiveCheckStatus | None) -> float:
    """Return the time for the next check: more, if the latest was not finished in its time."""
    if latest is None or latest.state is not CheckState.UNFINISHED or latest.seconds is None:
        return SECONDS
    return longer_check(latest.seconds) or latest.seconds


def _result(status: LiveCheckStatus, output: str, errors: str) -> LiveCheckStatus:
    """Return what the command printed as JSON, or why it printed none."""
    try:
        (report,) = json.loads(output)["clis"]
        return replace(
            status,
            state=CheckState(report["state"]),
            version=report["version"],
            steps=msgspec.convert(report["steps"], tuple[StepResult, ...]),
        )
    except (ValueError, KeyError, TypeError, msgspec.ValidationError):
        words = errors.strip().rpartition("\n")[2].removeprefix("error: ")
        return replace(status, state=CheckState.BROKEN, error=words[:500] or _BROKEN)


def _read(path: Path | None) -> dict[str, LiveCheckStatus]:
    try:
        stored = json.loads((path and read_file(path)) or "[]")
        statuses = [load(LiveCheckStatus, status) for status in stored]
    except (OSError, ValueError, TypeError, ClawTapError) as error:
        log.warning("the results of live checks could not be read: %s", type(error).__name__)
        return {}
    return {status.adapter: status for status in statuses}


def _end(process: subprocess.Popen[str]) -> None:
    """End a check and all that it started; a check that is asked to end removes its own folders."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(_ENDING)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
