"""clawtap service: what systemd and launchd are asked for."""

from __future__ import annotations

import json
import os
import plistlib
import pwd
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from clawtap_core.cli import service as service_commands
from clawtap_core.cli.doctor import check_service
from clawtap_core.errors import Unavailable
from clawtap_core.system.own_program import own_program
from clawtap_core.system.service_manager import (
    Launchd,
    Service,
    ServiceManager,
    Systemd,
    service_manager,
    unit,
)

SYSTEMCTL = """#!/bin/sh
echo "$(basename "$0") $*" >> "$HOME/asked"
case "$*" in
*Version*|"print gui/501") echo "Failed to connect to bus" >&2; test ! -e "$HOME/no-bus" ;;
*MainPID*) cat "$HOME/active" 2>/dev/null || echo 0 ;;
*restart*|*bootstrap*)
    echo "Unit is masked" >&2
    test ! -e "$HOME/refuse" && echo 4242 > "$HOME/active" ;;
*disable*|*bootout*) rm -f "$HOME/active" ;;
*enable-linger*) test ! -e "$HOME/no-linger" ;;
*Linger*) if test -e "$HOME/no-linger"; then echo no; else echo yes; fi ;;
*print*) test -e "$HOME/active" && echo "	pid = $(cat "$HOME/active")" ;;
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
    for name in os.environ:
        if name.startswith(("XDG_", "CLAWTAP_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    # The port of another test's server, or of the user's, is no business of these tests.
    (tmp_path / ".config" / "clawtap").mkdir(parents=True)
    (tmp_path / ".config" / "clawtap" / "config.toml").write_text("port = 0\n")
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
    folder.mkdir(mode=0o700)
    server = {"url": "http://127.0.0.1:4000", "pid": os.getppid()}
    (folder / "server.json").write_text(json.dumps(server))
    return folder


def asked(home: Path) -> list[str]:
    return (home / "asked").read_text().splitlines()


def install(manager: ServiceManager, service: Service) -> None:
    manager.install(service, wait=lambda: None)


def a_service(folder: Path, *argv: str) -> Service:
    return Service("clawtap", "ClawTap", argv, folder, {"PATH": "/usr/bin", "KEY": 'a "b" 100%'})


@pytest.mark.usefixtures("on_linux")
def test_a_service_is_started_now_and_after_every_boot(home, run, monkeypatch):
    monkeypatch.setenv("MY_KEY", "s3cret")
    monkeypatch.setenv("XDG_DATA_HOME", "/data of mine")
    monkeypatch.setenv("TMUX_TMPDIR", "/sockets")
    folder = serve(home)
    (home / "active").write_text(str(os.getpid()))  # an earlier install runs
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
    assert 'Environment="XDG_DATA_HOME=/data of mine"' in text
    assert 'Environment="TMUX_TMPDIR=/sockets"' in text
    assert unit_file(home).stat().st_mode & 0o777 == 0o600
    assert asked(home)[-5:-1] == [
        "systemctl --user daemon-reload",
        "systemctl --user enable clawtap.service",
        "systemctl --user restart clawtap.service",
        "loginctl enable-linger",
    ]


def announced_after_restart(folder: Path):
    """The old server twice, then the new one, which is another process."""
    old = ("http://127.0.0.1:4000", os.getpid())
    servers = iter([old, old])
    return lambda asked: (
        next(servers, ("http://127.0.0.1:4000", os.getppid())) if asked == folder else ("", 0)
    )


@pytest.mark.usefixtures("on_linux")
def test_paths_stay_where_they_were_named(home, run, monkeypatch):
    project = home / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setattr(service_commands, "_wait_for_server", lambda *_: "http://x")
    done = run("service", "install", "--data-dir", "data", "--allowed-host", "a", "--insecure")
    assert done.exit_code == 0, done.output
    text = unit_file(home).read_text()
    flags = f'"--data-dir" "{project / "data"}" "--allowed-host" "a" "--insecure"\n'
    assert flags in text
    assert f"WorkingDirectory={home}\n" in text


@pytest.mark.usefixtures("on_linux")
def test_a_variable_of_the_shell_that_the_service_lacks_is_named(home, run, monkeypatch):
    monkeypatch.setenv("CLAWTAP_MACHINE_NAME", "desk")
    monkeypatch.setattr(service_commands, "_wait_for_server", lambda *_: "http://x")
    warning = "warning: CLAWTAP_MACHINE_NAME does not reach the service"
    assert warning in run("service", "install").stderr
    assert warning not in run("service", "install", "--env", "CLAWTAP_MACHINE_NAME").stderr


@pytest.mark.usefixtures("on_linux")
def test_a_server_that_does_not_start_is_an_error_that_names_the_log(home, run):
    done = run("service", "install", "--data-dir", str(home / "data"))
    assert done.exit_code == 1
    assert "so nothing was changed; `journalctl --user -u clawtap` shows why" in done.stderr
    assert not (home / ".config" / "systemd").exists()
    assert asked(home)[-2:] == [
        "systemctl --user disable --now clawtap.service",
        "systemctl --user daemon-reload",
    ]


@pytest.mark.usefixtures("on_linux")
def test_another_server_with_the_same_data_is_left_alone(home, run):
    (home / "active").write_text("1")  # the service runs, and is another process
    done = run("service", "install", "--data-dir", str(serve(home)))
    assert done.exit_code == 1
    assert "a server is already running at http://127.0.0.1:4000" in done.stderr
    assert not unit_file(home).exists()


@pytest.mark.usefixtures("on_linux")
def test_a_port_in_use_is_said_before_anything_is_written(home, run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("service", "install", "--port", port)
    assert done.exit_code == 2
    assert f"127.0.0.1:{port} is in use" in done.stderr
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
        (["--data-dir", "x\r[Service]"], "control characters"),
        (["--data-dir", "\udcff"], "not UTF-8"),
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
    monkeypatch.setattr(service_commands, "_wait_for_server", lambda *_: "http://x")
    assert run("service", "install", "--data-dir", "data").exit_code == 0
    assert "\nExecStartPre" not in unit_file(home).read_text()


@pytest.mark.usefixtures("on_linux")
def test_without_a_user_bus_nothing_is_written_or_removed(home, run):
    (home / "no-bus").touch()
    done = run("service", "install", "--data-dir", str(home / "data"))
    assert done.exit_code == 1
    assert "cannot be reached (Failed to connect to bus), so nothing was changed" in done.stderr
    assert "without su or sudo, or start `clawtap serve` in another way" in done.stderr
    assert not (home / ".config" / "systemd").exists()
    (home / "no-bus").unlink()
    install(Systemd(unit_file(home)), a_service(home, "old"))
    (home / "no-bus").touch()
    (home / "active").unlink()
    done = run("service", "uninstall")
    assert (done.exit_code, unit_file(home).exists()) == (1, True)
    assert "without su or sudo, and try again" in done.stderr
    done = run("service", "status")
    assert done.exit_code == 1
    assert "its manager cannot be reached (Failed to connect to bus)" in done.stdout


@pytest.mark.usefixtures("on_linux")
def test_a_machine_without_systemd_keeps_nothing_of_it(home, run, monkeypatch):
    install(Systemd(unit_file(home)), a_service(home, "old"))
    programs = home / "tmux only"
    programs.mkdir()
    (programs / "tmux").symlink_to(str(shutil.which("tmux")))
    monkeypatch.setenv("PATH", str(programs))
    # What is left of another machine, in a home that several share.
    assert run("service", "uninstall").stdout == "the service was stopped and removed\n"
    assert not unit_file(home).exists()
    done = run("service", "install", "--data-dir", str(home / "data"))
    assert done.exit_code == 1
    assert "systemd is not on this machine (systemctl was not found)" in done.stderr
    assert not unit_file(home).exists()


@pytest.mark.usefixtures("on_linux")
def test_a_folder_that_cannot_be_written_is_a_sentence(home, run):
    (home / ".config" / "systemd").write_text("a file")
    done = run("service", "install", "--data-dir", str(home / "data"))
    assert done.exit_code == 1
    assert "clawtap.service cannot be written (Not a directory)" in done.stderr


def test_the_old_service_stays_when_a_new_one_is_refused(home):
    manager = Systemd(unit_file(home))
    install(manager, a_service(home, "old"))
    before = manager.file.read_text()
    (home / "refuse").touch()
    with pytest.raises(Unavailable, match="Unit is masked"):
        install(manager, a_service(home, "new"))
    assert manager.file.read_text() == before
    assert asked(home)[-1] == "systemctl --user restart clawtap.service"


@pytest.mark.usefixtures("on_linux")
def test_a_service_that_ends_with_the_logout_says_so(home, run, monkeypatch):
    (home / "no-linger").touch()
    monkeypatch.setattr(service_commands, "_wait_for_server", lambda *_: "http://x")
    user = pwd.getpwuid(os.getuid()).pw_name
    how = f"`sudo loginctl enable-linger {user}` lets it run without a login\n"
    done = run("service", "install")
    assert done.stdout == f"ClawTap runs at http://x and starts when you log in; {how}"
    done = run("service", "status")
    assert done.stdout.endswith(f"it ends when you log out; {how}")


@pytest.mark.usefixtures("on_linux")
def test_status_and_uninstall(home, run):
    assert run("service", "status").exit_code == 1
    assert run("service", "uninstall").stdout == "no service is installed\n"
    install(Systemd(unit_file(home)), a_service(home, "x"))
    done = run("service", "status", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {
        "installed": True,
        "running": True,
        "file": str(unit_file(home)),
    }
    assert run("service", "status").stdout == f"the service runs ({unit_file(home)})\n"
    (home / "active").unlink()
    done = run("service", "status")
    assert done.exit_code == 1
    assert "installed but does not run; `journalctl --user -u clawtap` shows why" in done.stdout
    assert run("service", "uninstall").stdout == "the service was stopped and removed\n"
    assert not unit_file(home).exists()
    assert asked(home)[-1] == "systemctl --user daemon-reload"


@pytest.mark.usefixtures("on_linux")
def test_the_doctor_looks_at_an_installed_service(home):
    assert list(check_service()) == []
    install(Systemd(unit_file(home)), a_service(home, "x"))
    (finding,) = check_service()
    assert (finding.level, finding.text) == ("ok", "runs, and starts with this machine")
    (home / "no-linger").touch()
    (finding,) = check_service()
    assert (finding.level, "enable-linger" in finding.remedy) == ("warning", True)
    (home / "active").unlink()
    (finding,) = check_service()
    assert (finding.level, finding.text) == ("warning", "does not run")
    assert finding.remedy == "`journalctl --user -u clawtap` shows why"


def test_systemd_is_reached_by_somebody_who_became_this_user(home, monkeypatch):
    monkeypatch.setattr(Path, "is_dir", lambda path: str(path) == f"/run/user/{os.getuid()}")
    found = service_manager("clawtap", home, {"PATH": "/bin"})
    assert isinstance(found, Systemd)
    assert found.environ["XDG_RUNTIME_DIR"] == f"/run/user/{os.getuid()}"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_reads_the_unit(tmp_path):
    folder = tmp_path / "100% $HOME ${HOME}"
    folder.mkdir()
    program = folder / "a program"
    program.symlink_to("/bin/echo")
    path = tmp_path / "clawtap.service"
    path.write_text(unit(a_service(folder, str(program), '100% "of" $HOME', "back\\slash", "\n")))
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert "clawtap.service" not in done.stderr, done.stderr


def test_launchd_gets_an_agent(home):
    manager = Launchd(home / "Library" / "LaunchAgents" / "io.clawtap.plist", 501)
    assert not manager.process()
    install(manager, a_service(home, "/opt/python", "-m", "x"))
    agent = plistlib.loads(manager.file.read_bytes())
    assert agent["ProgramArguments"] == ["/opt/python", "-m", "x"]
    assert agent["EnvironmentVariables"]["KEY"] == 'a "b" 100%'
    assert agent["AbandonProcessGroup"] is True
    assert agent["StandardErrorPath"] == str(home / "Library" / "Logs" / "io.clawtap.log")
    assert manager.process() == 4242
    assert manager.uninstall()
    assert not manager.uninstall()
    assert "launchctl bootout gui/501/io.clawtap" in asked(home)[-2]


def test_launchd_that_is_not_reached_gets_nothing(home):
    manager = Launchd(home / "Library" / "LaunchAgents" / "io.clawtap.plist", 501)
    (home / "no-bus").touch()
    with pytest.raises(Unavailable, match="log in at the screen of this Mac"):
        install(manager, a_service(home, "x"))
    assert not (home / "Library").exists()
