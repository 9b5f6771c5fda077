"""clawtap service: what systemd and launchd are asked for."""

from __future__ import annotations

import json
import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clawtap_core.cli import service as service_commands
from clawtap_core.errors import Unavailable
from clawtap_core.system.own_program import own_program
from clawtap_core.system.service_manager import Launchd, Service, Systemd, unit

SYSTEMCTL = """#!/bin/sh
echo "$(basename "$0") $*" >> "$HOME/asked"
case "$*" in
*is-active*) test -e "$HOME/active" ;;
*restart*|*bootstrap*)
    echo "Failed to connect to bus" >&2
    test ! -e "$HOME/refuse" && : > "$HOME/active" ;;
*disable*|*bootout*) rm -f "$HOME/active" ;;
*linger*) echo "not allowed" >&2; test ! -e "$HOME/no-linger" ;;
*print*) test -e "$HOME/active" && echo "	state = running" ;;
esac
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose service managers note what they are asked."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("systemctl", "loginctl", "launchctl"):
        (programs / name).write_text(SYSTEMCTL)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr(service_commands, "START_SECONDS", 0.2)
    return tmp_path


@pytest.fixture
def on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")


def unit_file(home: Path) -> Path:
    return home / ".config" / "systemd" / "user" / "clawtap.service"


def serve(home: Path) -> Path:
    """Let a server announce itself, as one that systemd started does."""
    folder = home / "data"
    folder.mkdir()
    server = {"url": "http://127.0.0.1:4000", "pid": os.getppid()}
    (folder / "server.json").write_text(json.dumps(server))
    return folder


def asked(home: Path) -> list[str]:
    return (home / "asked").read_text().splitlines()


def a_service(folder: Path, *argv: str) -> Service:
    return Service("clawtap", "ClawTap", argv, folder, {"PATH": "/usr/bin", "KEY": 'a "b" 100%'})


@pytest.mark.usefixtures("on_linux")
def test_a_service_is_started_now_and_after_every_boot(home, run, monkeypatch):
    monkeypatch.setenv("MY_KEY", "s3cret")
    folder = serve(home)
    (home / "active").touch()  # an earlier install runs
    monkeypatch.setattr(service_commands, "announced", announced_after_restart(folder))
    done = run("service", "install", "--env", "MY_KEY", "--data-dir", str(folder))
    assert done.exit_code == 0, done.output
    assert done.stdout == "ClawTap runs at http://127.0.0.1:4000 and starts with this machine\n"
    text = unit_file(home).read_text()
    words = (*own_program("clawtap_core.cli"), "serve", "--data-dir", folder)
    argv = " ".join(f'"{word}"' for word in words)
    assert f"ExecStart={argv}\n" in text
    assert 'Environment="MY_KEY=s3cret"' in text
    assert f'Environment="PATH={os.environ["PATH"]}"' in text
    assert unit_file(home).stat().st_mode & 0o777 == 0o600
    assert asked(home)[-4:] == [
        "systemctl --user daemon-reload",
        "systemctl --user enable clawtap.service",
        "systemctl --user restart clawtap.service",
        "loginctl enable-linger",
    ]


def announced_after_restart(folder: Path):
    """The old server first, then the new one, which is another process."""
    servers = iter([("http://127.0.0.1:4000", os.getpid())])
    return lambda asked: (
        next(servers, ("http://127.0.0.1:4000", os.getppid())) if asked == folder else ("", 0)
    )


@pytest.mark.usefixtures("on_linux")
def test_a_server_that_does_not_start_is_an_error_that_names_the_log(home, run):
    done = run("service", "install", "--data-dir", str(home / "data"))
    assert done.exit_code == 1
    assert "`journalctl --user -u clawtap` shows why (no_server)" in done.stderr


@pytest.mark.usefixtures("on_linux")
def test_another_server_with_the_same_data_is_left_alone(home, run):
    done = run("service", "install", "--data-dir", str(serve(home)))
    assert done.exit_code == 1
    assert "a server is already running at http://127.0.0.1:4000" in done.stderr
    assert not unit_file(home).exists()


@pytest.mark.usefixtures("on_linux")
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--prot", "1"], "--prot"),
        (["--port", "http"], "'http' is not a valid integer"),
        (["--host", "0.0.0.0"], "insecure_host"),
        (["--token", "abc"], "use --token-file"),
        (["--env", "NOT_SET_HERE"], "NOT_SET_HERE is not set here"),
        (["more"], "unexpected extra argument"),
    ],
)
def test_what_serve_would_refuse_is_refused_before_anything_is_written(home, run, flags, words):
    done = run("service", "install", *flags)
    assert done.exit_code == 2
    assert words in done.stderr
    assert not unit_file(home).exists()


@pytest.mark.usefixtures("on_linux")
def test_the_name_of_a_folder_adds_no_line_to_the_unit(home, run, monkeypatch):
    hostile = home / "x\nExecStartPre=touch ran"
    hostile.mkdir()
    monkeypatch.chdir(hostile)
    done = run("service", "install", "--data-dir", str(home / "data"))
    assert done.exit_code == 2
    assert "control characters" in done.stderr
    assert not unit_file(home).exists()


@pytest.mark.usefixtures("on_linux")
def test_a_machine_without_systemd_keeps_nothing_of_it(home, run):
    (home / "refuse").touch()
    done = run("service", "install", "--data-dir", str(home / "data"))
    assert done.exit_code == 1
    assert "the service manager refused (Failed to connect to bus)" in done.stderr
    assert not unit_file(home).exists()


def test_the_old_service_stays_when_a_new_one_is_refused(home):
    manager = Systemd(unit_file(home))
    manager.install(a_service(home, "old"))
    before = manager.file.read_text()
    (home / "refuse").touch()
    with pytest.raises(Unavailable):
        manager.install(a_service(home, "new"))
    assert manager.file.read_text() == before


def test_a_service_that_ends_with_the_logout_says_so(home):
    (home / "no-linger").touch()
    warning = Systemd(unit_file(home)).install(a_service(home, "old"))
    assert warning.startswith("it ends when you log out (not allowed); run `sudo loginctl")


@pytest.mark.usefixtures("on_linux")
def test_status_and_uninstall(home, run):
    assert run("service", "status").exit_code == 1
    assert run("service", "uninstall").stdout == "no service is installed\n"
    Systemd(unit_file(home)).install(a_service(home, "x"))
    done = run("service", "status", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {
        "installed": True,
        "running": True,
        "file": str(unit_file(home)),
    }
    (home / "active").unlink()
    done = run("service", "status")
    assert done.exit_code == 1
    assert "installed but does not run; `journalctl --user -u clawtap` shows why" in done.stdout
    assert run("service", "uninstall").stdout == "the service was stopped and removed\n"
    assert not unit_file(home).exists()
    assert asked(home)[-1] == "systemctl --user daemon-reload"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_reads_the_unit(tmp_path):
    folder = tmp_path / "100% $HOME"
    folder.mkdir()
    path = tmp_path / "clawtap.service"
    path.write_text(unit(a_service(folder, "/bin/echo", '100% "of" $HOME', "back\\slash")))
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert "clawtap.service" not in done.stderr, done.stderr


def test_launchd_gets_an_agent(home):
    manager = Launchd(home / "Library" / "LaunchAgents" / "io.clawtap.plist", 501)
    assert not manager.running()
    assert manager.install(a_service(home, "/opt/python", "-m", "x")) == ""
    agent = plistlib.loads(manager.file.read_bytes())
    assert agent["ProgramArguments"] == ["/opt/python", "-m", "x"]
    assert agent["EnvironmentVariables"]["KEY"] == 'a "b" 100%'
    assert agent["AbandonProcessGroup"] is True
    assert agent["StandardErrorPath"] == str(home / "Library" / "Logs" / "io.clawtap.log")
    assert manager.running()
    assert manager.uninstall()
    assert not manager.uninstall()
    assert asked(home)[-1] == "launchctl bootout gui/501/io.clawtap"
