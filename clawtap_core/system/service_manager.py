"""Programs that the user's service manager keeps running: systemd on Linux, launchd on macOS."""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.system.atomic_file import read_file, replace_file
from clawtap_core.system.processes import program_output

_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Service:
    """A program with its working folder; `misuse` is the exit status after which it stays ended."""

    name: str
    description: str
    argv: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    misuse: int = 2


class ServiceManager(Protocol):
    """What keeps a service of this user running."""

    @property
    def file(self) -> Path:
        """The file that describes the service."""

    @property
    def log(self) -> str:
        """Where the service's output goes: a command or a file."""

    def install(self, service: Service) -> str:
        """Start the service now and after every boot, and return a warning or "".

        Raises Unavailable, with nothing changed, if the service manager refuses.
        """

    def running(self) -> bool:
        """Return True if the service runs."""

    def uninstall(self) -> bool:
        """Stop and remove the service; return False if there was none."""


def service_manager(name: str, home: Path, environ: Mapping[str, str]) -> ServiceManager:
    """Return the service manager of this machine for a service of this name."""
    if sys.platform == "darwin":
        return Launchd(home / "Library" / "LaunchAgents" / f"io.{name}.plist", os.getuid())
    config = environ.get("XDG_CONFIG_HOME") or str(home / ".config")
    return Systemd(Path(config) / "systemd" / "user" / f"{name}.service")


@dataclass(frozen=True)
class Systemd:
    """A user unit of systemd."""

    file: Path

    @property
    def log(self) -> str:
        """The command that prints the log."""
        return f"`journalctl --user -u {self.file.stem}`"

    def install(self, service: Service) -> str:
        """Write the unit, start it, and let it outlive the user's logout."""
        _write(self.file, unit(service).encode(), self._load)
        if problem := _problem("loginctl", "enable-linger"):
            remedy = "run `sudo loginctl enable-linger $USER` to keep it"
            return f"it ends when you log out ({problem}); {remedy}"
        return ""

    def running(self) -> bool:
        """Return True if the unit is active."""
        return not _problem("systemctl", "--user", "is-active", "--quiet", self.file.name)

    def uninstall(self) -> bool:
        """Stop the unit and remove it."""
        if not self.file.exists():
            return False
        _run("systemctl", "--user", "disable", "--now", self.file.name)
        self.file.unlink()
        _run("systemctl", "--user", "daemon-reload")
        return True

    def _load(self) -> None:
        _run("systemctl", "--user", "daemon-reload")
        _run("systemctl", "--user", "enable", self.file.name)
        _run("systemctl", "--user", "restart", self.file.name)


@dataclass(frozen=True)
class Launchd:
    """A launch agent of macOS."""

    file: Path
    user_id: int

    @property
    def log(self) -> str:
        """The log file."""
        return str(self.file.parents[1] / "Logs" / f"{self.file.stem}.log")

    def install(self, service: Service) -> str:
        """Write the agent and load it."""
        _write(self.file, plistlib.dumps(agent(service, self.file.stem, self.log)), self._load)
        return ""

    def running(self) -> bool:
        """Return True if the agent has a process."""
        printed = program_output("launchctl", "print", self._target, seconds=_SECONDS)
        return "state = running" in (printed or "")

    def uninstall(self) -> bool:
        """Stop the agent and remove it."""
        if not self.file.exists():
            return False
        _problem("launchctl", "bootout", self._target)
        self.file.unlink()
        return True

    @property
    def _target(self) -> str:
        return f"gui/{self.user_id}/{self.file.stem}"

    def _load(self) -> None:
        # One that is loaded must go first; launchd refuses a second one.
        _problem("launchctl", "bootout", self._target)
        _run("launchctl", "bootstrap", f"gui/{self.user_id}", str(self.file))


def unit(service: Service) -> str:
    """Return the text of a unit file."""
    command = " ".join(_quoted(word.replace("$", "$$")) for word in service.argv)
    variables = "\n".join(
        f"Environment={_quoted(f'{name}={value}')}" for name, value in service.environment.items()
    )
    # Only the server itself is ended with the unit: tmux and the CLIs in it live on.
    return f"""[Unit]
Description={service.description}

[Service]
ExecStart={command}
WorkingDirectory={str(service.folder).replace("%", "%%")}
{variables}
KillMode=process
Restart=on-failure
RestartSec=2
RestartPreventExitStatus={service.misuse}

[Install]
WantedBy=default.target
"""


def agent(service: Service, label: str, log: str) -> dict[str, object]:
    """Return the properties of a launch agent."""
    return {
        "Label": label,
        "ProgramArguments": list(service.argv),
        "WorkingDirectory": str(service.folder),
        "StandardOutPath": log,
        "StandardErrorPath": log,
        "EnvironmentVariables": dict(service.environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        # The same as systemd's KillMode=process.
        "AbandonProcessGroup": True,
    }


def _quoted(word: str) -> str:
    # In a unit, % begins a specifier.
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped.replace("%", "%%")}"'


def _write(path: Path, content: bytes, load: Callable[[], None]) -> None:
    """Write a file and load it; put back what was there if that fails."""
    before = read_file(path)
    replace_file(path, content)
    try:
        load()
    except Unavailable:
        if before is None:
            path.unlink()
        else:
            replace_file(path, before)
        raise


def _run(*argv: str) -> None:
    if problem := _problem(*argv):
        raise Unavailable(
            f"the service manager refused ({problem}); start `clawtap serve` in another way",
            code=ErrorCode.SERVICE_REFUSED,
        )


def _problem(*argv: str) -> str:
    """Return why a command failed, "" if it did not."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS
        )
    except OSError:
        return f"{argv[0]} was not found"
    except subprocess.TimeoutExpired:
        return f"{argv[0]} did not answer"
    if done.returncode == 0:
        return ""
    return " ".join(done.stderr.split()) or f"{argv[0]} exited with {done.returncode}"
