"""Programs that the user's service manager keeps running: systemd on Linux, launchd on macOS."""

from __future__ import annotations

import os
import plistlib
import pwd
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.system.atomic_file import read_file, replace_file
from clawtap_core.system.processes import program_output

OWN_NAME = "clawtap"  # of the service that runs `clawtap serve`
_SECONDS = 30.0
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_OTHERWISE = "start `clawtap serve` in another way"


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

    def unreachable(self) -> str:
        """Return why the service manager cannot be used here, or ""."""

    def install(self, service: Service, wait: Callable[[], None]) -> None:
        """Start the service now and after every boot, and wait until it has started.

        Raises Unavailable, with everything as it was before, if the service manager refuses or
        `wait` raises.
        """

    def process(self) -> int:
        """Return the process id of the service, or 0 if it does not run."""

    def ends_at_logout(self) -> str:
        """Return what to do against it if the service ends when its user logs out, or ""."""

    def uninstall(self) -> bool:
        """Stop and remove the service; return False if there was none."""


def service_manager(name: str, home: Path, environ: Mapping[str, str]) -> ServiceManager:
    """Return the service manager of this machine for a service of this name."""
    if sys.platform == "darwin":
        return Launchd(home / "Library" / "LaunchAgents" / f"io.{name}.plist", os.getuid())
    config = environ.get("XDG_CONFIG_HOME") or str(home / ".config")
    runtime = Path("/run/user") / str(os.getuid())
    # Where somebody became this user by su or sudo, this variable is missing.
    more = {"XDG_RUNTIME_DIR": str(runtime)} if runtime.is_dir() else {}
    return Systemd(Path(config) / "systemd" / "user" / f"{name}.service", {**more, **environ})


@dataclass(frozen=True)
class Systemd:
    """A user unit of systemd; `environ` says how systemctl reaches it."""

    file: Path
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @property
    def log(self) -> str:
        """The command that prints the log."""
        return f"`journalctl --user -u {self.file.stem}`"

    def unreachable(self) -> str:
        """Return why this user's systemd does not answer, or ""."""
        return self._problem("systemctl", "--user", "show", "--property=Version")

    def install(self, service: Service, wait: Callable[[], None]) -> None:
        """Write the unit, start it, and let it outlive the user's logout."""
        if not self._exists():
            raise Unavailable(
                f"systemd is not on this machine (systemctl was not found); {_OTHERWISE}",
                code=ErrorCode.SERVICE_REFUSED,
            )
        self._check_reachable(f"log in as {_user_name()}, without su or sudo, or {_OTHERWISE}")
        _replace(self.file, unit(service).encode(), self._load, self._unload, wait)
        self._problem("loginctl", "enable-linger")

    def process(self) -> int:
        """Return the process id of the unit, or 0."""
        query = ("systemctl", "--user", "show", "--property=MainPID", "--value", self.file.name)
        printed = (program_output(*query, seconds=_SECONDS, env=self.environ) or "").strip()
        return int(printed) if printed.isdigit() else 0

    def ends_at_logout(self) -> str:
        """Return the command that lets the unit run without a login, if it does not."""
        query = ("loginctl", "show-user", _user_name(), "--property=Linger", "--value")
        printed = program_output(*query, seconds=_SECONDS, env=self.environ)
        if (printed or "").strip() == "yes":
            return ""
        return f"`sudo loginctl enable-linger {_user_name()}` lets it run without a login"

    def uninstall(self) -> bool:
        """Stop the unit and remove it."""
        if not self.file.exists():
            return False
        if self._exists():
            self._check_reachable(f"log in as {_user_name()}, without su or sudo, and try again")
            self._run("systemctl", "--user", "disable", "--now", self.file.name)
        self.file.unlink()
        self._problem("systemctl", "--user", "daemon-reload")
        return True

    def _exists(self) -> bool:
        return shutil.which("systemctl", path=self.environ.get("PATH")) is not None

    def _check_reachable(self, remedy: str) -> None:
        if problem := self.unreachable():
            raise Unavailable(
                f"the service manager of this user cannot be reached ({problem}), so nothing was"
                f" changed; {remedy}",
                code=ErrorCode.SERVICE_REFUSED,
            )

    def _load(self) -> None:
        self._run("systemctl", "--user", "daemon-reload")
        self._run("systemctl", "--user", "enable", self.file.name)
        self._run("systemctl", "--user", "restart", self.file.name)

    def _unload(self) -> None:
        self._problem("systemctl", "--user", "disable", "--now", self.file.name)
        self.file.unlink()
        self._problem("systemctl", "--user", "daemon-reload")

    def _run(self, *argv: str) -> None:
        _check(self._problem(*argv))

    def _problem(self, *argv: str) -> str:
        return _problem(*argv, environ=self.environ)


@dataclass(frozen=True)
class Launchd:
    """A launch agent of macOS."""

    file: Path
    user_id: int

    @property
    def log(self) -> str:
        """The log file."""
        return str(self.file.parents[1] / "Logs" / f"{self.file.stem}.log")

    def unreachable(self) -> str:
        """Return why launchd does not answer, or ""."""
        return _problem("launchctl", "print", f"gui/{self.user_id}")

    def install(self, service: Service, wait: Callable[[], None]) -> None:
        """Write the agent and load it."""
        if problem := self.unreachable():
            raise Unavailable(
                f"launchd cannot be reached ({problem}), so nothing was changed; log in at the"
                f" screen of this Mac, or {_OTHERWISE}",
                code=ErrorCode.SERVICE_REFUSED,
            )
        content = plistlib.dumps(agent(service, self.file.stem, self.log))
        _replace(self.file, content, self._load, self._unload, wait)

    def process(self) -> int:
        """Return the process id of the agent, or 0."""
        printed = program_output("launchctl", "print", self._target, seconds=_SECONDS)
        found = re.search(r"(?m)^\s*pid = (\d+)$", printed or "")
        return int(found[1]) if found else 0

    def ends_at_logout(self) -> str:
        """Return that macOS ends agents with the login."""
        return "macOS runs it while you are logged in"

    def uninstall(self) -> bool:
        """Stop the agent and remove it."""
        if not self.file.exists():
            return False
        self._unload()
        return True

    @property
    def _target(self) -> str:
        return f"gui/{self.user_id}/{self.file.stem}"

    def _load(self) -> None:
        self._stop()
        _check(_problem("launchctl", "bootstrap", f"gui/{self.user_id}", str(self.file)))

    def _unload(self) -> None:
        self._stop()
        self.file.unlink()

    def _stop(self) -> None:
        # bootout may return before the agent is gone, and launchd refuses a second one.
        _problem("launchctl", "bootout", self._target)
        end = time.monotonic() + _SECONDS
        while not _problem("launchctl", "print", self._target) and time.monotonic() < end:
            time.sleep(0.1)


def unit(service: Service) -> str:
    """Return the text of a unit file."""
    # With a colon, $ begins no variable; in the path of the program, $$ would stay as it is.
    colon = ":" if any("$" in word for word in service.argv) else ""
    command = colon + " ".join(map(_quoted, service.argv))
    variables = "\n".join(
        f"Environment={_quoted(f'{name}={value}')}" for name, value in service.environment.items()
    )
    # Only the server itself is ended with the unit: tmux and the CLIs in it live on;
    # and one of their programs that runs out of memory does not end the server.
    return f"""[Unit]
Description={service.description}

[Service]
ExecStart={command}
WorkingDirectory={str(service.folder).replace("%", "%%")}
{variables}
KillMode=process
OOMPolicy=continue
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
    # In a unit, % begins a specifier, and a control character may end the line.
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return '"' + _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", escaped) + '"'


def _replace(
    path: Path,
    content: bytes,
    load: Callable[[], None],
    unload: Callable[[], None],
    wait: Callable[[], None],
) -> None:
    """Write a file, load it and wait; put everything back if that fails."""
    try:
        before = read_file(path)
        missing = [folder for folder in path.parents if not folder.exists()]
        replace_file(path, content)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be written ({error.strerror}), so nothing was changed",
            code=ErrorCode.SERVICE_REFUSED,
        ) from error
    try:
        load()
        wait()
    except BaseException:
        if before is None:
            unload()
            with suppress(OSError):
                for folder in missing:
                    folder.rmdir()
        else:
            replace_file(path, before)
            with suppress(Unavailable):
                load()
        raise


def _check(problem: str) -> None:
    if problem:
        raise Unavailable(
            f"the service manager refused ({problem}), so nothing was changed; {_OTHERWISE}",
            code=ErrorCode.SERVICE_REFUSED,
        )


def _problem(*argv: str, environ: Mapping[str, str] | None = None) -> str:
    """Return why a command failed, "" if it did not."""
    try:
        done = subprocess.run(
            argv,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except OSError:
        return f"{argv[0]} was not found"
    except subprocess.TimeoutExpired:
        return f"{argv[0]} did not answer"
    if done.returncode == 0:
        return ""
    return " ".join(done.stderr.split()) or f"{argv[0]} exited with {done.returncode}"


def _user_name() -> str:
    return pwd.getpwuid(os.getuid()).pw_name
