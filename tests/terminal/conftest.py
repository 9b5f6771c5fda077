"""A tmux server of each test's own, and a guard that nothing of it stays behind."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from patience import until

from clawtap_core.model import Screen
from clawtap_core.system.processes import process
from clawtap_core.terminal.api import PaneEnd
from clawtap_core.terminal.foreground import foreground_group
from clawtap_core.terminal.timings import TERMINAL_TIMINGS, TerminalTimings
from clawtap_core.terminal.tmux import TmuxTerminal
from clawtap_core.testing.leaks import tmux_folder

READER = Path(__file__).with_name("reader.py")


def has_terminal(pid: int) -> None:
    """Wait until a process that tmux has just forked has the pane for its terminal."""
    until(lambda: foreground_group(pid) or has_ended(pid))


def has_ended(pid: int) -> bool:
    """Return whether a process has ended, though tmux may not have noticed yet."""
    running = process(pid)
    return running is None or running.state == "Z"


class Desk:
    """The person at the desk: tmux commands on the server of this test."""

    def __init__(self, socket: str, home: Path) -> None:
        self.socket, self.home = socket, home
        self.clients: list[subprocess.Popen[bytes]] = []

    def __call__(self, *command: str, check: bool = True) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, "-f", str(self.home / "tmux.conf"), "-u", *command],
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.rstrip("\n")

    def new(self, *argv: str, name: str = "desk") -> str:
        """A pane that a user started by hand; its id."""
        size = ("-x", "80", "-y", "24")
        pane = self("new-session", "-dP", "-F", "#{pane_id}", *size, "-s", name, "--", *argv)
        has_terminal(int(self.ask(pane, "pane_pid")))
        return pane

    def ask(self, pane: str, what: str) -> str:
        return self("display-message", "-p", "-t", pane, f"#{{{what}}}")


class Seen:
    """A listener that remembers, and can be waited on."""

    def __init__(self) -> None:
        self.screens: list[Screen] = []
        self.times: list[float] = []
        self.ended: tuple[str, Screen | None] | None = None
        self._news = threading.Condition()

    def screen_changed(self, screen: Screen) -> None:
        with self._news:
            self.screens.append(screen)
            self.times.append(time.perf_counter())
            self._news.notify_all()

    def gone(self, end: PaneEnd, last: Screen | None) -> None:
        with self._news:
            assert self.ended is None
            self.ended = end.reason, last
            self._news.notify_all()

    def until(self, met: Callable[[], object], seconds: float = 60.0) -> None:
        with self._news:
            assert self._news.wait_for(met, seconds), (self.ended, self.screens[-1:])

    def shows(self, text: str) -> Screen:
        self.until(lambda: self.screens and text in self.screens[-1].text)
        return self.screens[-1]

    def end(self) -> str:
        self.until(lambda: self.ended)
        assert self.ended
        return self.ended[0]


@pytest.fixture
def socket() -> str:
    return f"clawtap-test-{os.getpid()}-{secrets.token_hex(3)}"


@pytest.fixture
def desk(socket: str, tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "tmux.conf").touch()
    desk = Desk(socket, tmp_path)
    yield desk
    desk("-N", "kill-server", check=False)
    (tmux_folder() / socket).unlink(missing_ok=True)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(tmp_path), "SHELL": "/bin/sh"}


@pytest.fixture
def timings() -> TerminalTimings:
    return TERMINAL_TIMINGS


@pytest.fixture
def terminal(
    desk: Desk,
    environment: dict[str, str],
    timings: TerminalTimings,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[TmuxTerminal]:
    monkeypatch.delenv("TMUX", raising=False)
    terminal = TmuxTerminal(desk.socket, environment=environment, timings=timings)
    yield terminal
    terminal.close()
    assert desk("-N", "list-clients", "-F", "#{client_name} #{client_flags}", check=False) == ""


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Fail a test that leaves a thread or a child process behind."""
    threads, children = set(threading.enumerate()), _children()
    yield
    deadline = time.monotonic() + 60
    while (set(threading.enumerate()) - threads or _children() - children) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.01)
    assert not set(threading.enumerate()) - threads
    assert not _children() - children


def _children() -> set[str]:
    children: set[str] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            children.update(task.read_text().split())
    return children


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def another() -> Callable[[], Seen]:
    return Seen


@pytest.fixture
def start(
    terminal: TmuxTerminal, environment: dict[str, str], tmp_path: Path
) -> Callable[..., str]:
    """Launch a program; its pane."""

    def launch(*argv: str, cols: int = 80, rows: int = 24, **env: str) -> str:
        facts = terminal.launch(
            argv,
            owner="s1",
            name="test",
            cwd=str(tmp_path),
            env={**environment, **env},
            cols=cols,
            rows=rows,
        )
        has_terminal(facts.pid)
        return facts.id

    return launch


@pytest.fixture
def reader(start: Callable[..., str], tmp_path: Path) -> Callable[..., tuple[str, Path]]:
    """Launch a program that keeps what it reads; its pane and its file."""

    def launch(*flags: str) -> tuple[str, Path]:
        got = tmp_path / f"got-{secrets.token_hex(3)}"
        return start(sys.executable, str(READER), str(got), *flags), got

    return launch
