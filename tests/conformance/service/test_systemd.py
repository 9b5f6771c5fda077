"""`clawtap service` against a real systemd: a user's manager in namespaces of its own, as root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

MANAGER = "/lib/systemd/systemd"
# systemd asks for /run/systemd/system before it runs as a user's manager.
BOOT = f"""
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
dbus-daemon --session --address="unix:path=$XDG_RUNTIME_DIR/bus" --fork
{MANAGER} --user --log-target=null
"""
NEEDS = ("unshare", "nsenter", "dbus-daemon", "systemctl", "tmux")

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not Path(MANAGER).exists() or not all(map(shutil.which, NEEDS)),
    reason="needs root, systemd and dbus-daemon",
)


def wait_until(met: Callable[[], object], seconds: float = 30) -> bool:
    """Wait for it; return False if it does not come."""
    until = time.monotonic() + seconds
    while not met():
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


@dataclass
class Machine:
    """A home on a machine that boots; what runs on it ends when it is off."""

    home: Path
    boot: subprocess.Popen[bytes] | None = None

    def on(self) -> None:
        runtime = self.home / "run"
        shutil.rmtree(runtime, ignore_errors=True)
        runtime.mkdir(mode=0o700)
        namespaces = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
        self.boot = subprocess.Popen([*namespaces, "sh", "-ec", BOOT], env=self.env)
        assert wait_until(lambda: self.run("systemctl", "--user", "is-system-running")[0] == 0)

    def off(self) -> None:
        if self.boot:
            self.boot.send_signal(signal.SIGKILL)
            self.boot.wait()
        self.boot = None

    @property
    def env(self) -> dict[str, str]:
        programs = Path(sys.executable).parent
        return {
            "HOME": str(self.home),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "TMUX_TMPDIR": str(self.home),
            "XDG_RUNTIME_DIR": str(self.home / "run"),
        }

    def run(self, *words: str) -> tuple[int, str]:
        """Run a command on the machine; return its exit code and all that it printed."""
        assert self.boot
        inside = Path(f"/proc/{self.boot.pid}/task/{self.boot.pid}/children").read_text().split()
        if not inside:
            return 1, "off"
        entered = ("nsenter", "--target", inside[0], "--mount", "--pid")
        done = subprocess.run([*entered, *words], env=self.env, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def states(self) -> list[str]:
        """The states of ClawTap's sessions; empty while no server answers."""
        code, text = self.run("clawtap", "ls")
        rows = text.splitlines()[1:] if code == 0 else []
        return [row.split()[3] for row in rows]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    config = tmp_path / ".config" / "clawtap"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("port = 0\n")
    made.on()
    yield made
    made.off()


def test_systemd_keeps_the_server_and_never_ends_what_runs_in_tmux(machine: Machine) -> None:
    code, text = machine.run("clawtap", "service", "install")
    assert (code, text.split(" at ")[0]) == (0, "ClawTap runs"), text
    assert machine.run("clawtap", "new", "demo", "--cwd", str(machine.home))[0] == 0
    assert wait_until(lambda: machine.states() == ["waiting"])

    systemctl = ("systemctl", "--user")
    machine.run(*systemctl, "kill", "--kill-who=main", "--signal=KILL", "clawtap")
    assert wait_until(lambda: not machine.states(), 10)
    assert wait_until(lambda: machine.states() == ["waiting"]), "killed, and not started again"

    machine.run(*systemctl, "stop", "clawtap")
    assert not machine.states()
    assert machine.run("clawtap", "service", "status")[0] == 1
    assert "clawtap-demo" in machine.run("tmux", "list-sessions")[1]
    assert machine.run("clawtap", "service", "install")[0] == 0
    assert wait_until(lambda: machine.states() == ["waiting"])

    machine.off()
    machine.on()
    assert wait_until(lambda: machine.states() == ["lost"]), "not started at boot"
    assert machine.run("clawtap", "restore")[0] == 0
    assert wait_until(lambda: machine.states() == ["idle"])

    assert machine.run("clawtap", "service", "uninstall")[0] == 0
    assert not machine.states()
    assert "clawtap-demo" in machine.run("tmux", "list-sessions")[1]
