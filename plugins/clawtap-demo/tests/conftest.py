"""The real demo agent in a tmux server of the test's own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clawtap_core import Expect, Paste, Pause, Press, Screen, Step, Type


@dataclass
class Pane:
    """A demo agent in a pane, read and typed into by the tmux program."""

    socket: str
    log: Path

    def tmux(self, *argv: str) -> str:
        command = ["tmux", "-L", self.socket, "-f", os.devnull, *argv]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def look(self) -> Screen:
        text = self.tmux("capture-pane", "-p", "-e")
        cols, rows = self.tmux("display", "-p", "#{pane_width} #{pane_height}").split()
        return Screen.from_text(text, cols=int(cols), rows=int(rows))

    def until(self, fits: Callable[[Screen], Any], seconds: float = 20.0) -> Screen:
        end = time.monotonic() + seconds
        while not fits(screen := self.look()):
            if time.monotonic() > end:
                raise AssertionError("never came:\n" + screen.text)
            time.sleep(0.02)
        return screen

    def until_text(self, text: str) -> Screen:
        return self.until(lambda screen: text in screen.text)

    def carry_out(self, step: Step) -> None:
        if isinstance(step, Press):
            self.tmux("send-keys", step.key)
        elif isinstance(step, Type):
            self.tmux("send-keys", "-l", step.text)
        elif isinstance(step, Paste):
            self.tmux("set-buffer", step.text)
            self.tmux("paste-buffer", "-p", "-r")
        elif isinstance(step, Expect):
            wanted = "".join(step.text.split())
            self.until(lambda screen: (wanted in "".join(screen.text.split())) is not step.gone)
        elif isinstance(step, Pause):
            time.sleep(step.seconds)

    def logged(self, event: str) -> list[dict[str, Any]]:
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        return [line for line in map(json.loads, lines) if line["event"] == event]

    def resize(self, cols: int, rows: int) -> None:
        self.tmux("resize-window", "-x", str(cols), "-y", str(rows))


Start = Callable[..., Pane]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a demo agent with these flags; the pane keeps a shell after it."""
    socket = f"demo-{os.getpid()}-{time.monotonic_ns()}"
    pane = Pane(socket, tmp_path / "demo.jsonl")

    def begin(*flags: str, cols: int = 80, rows: int = 30) -> Pane:
        agent = [sys.executable, "-m", "clawtap_demo.agent", "--delay", "0", *flags]
        command = f"DEMO_LOG={shlex.quote(str(pane.log))} {shlex.join(agent)}; exec sleep 60"
        size = ("-x", str(cols), "-y", str(rows))
        pane.tmux("new-session", "-d", *size, "-c", str(tmp_path), command)
        return pane

    yield begin
    subprocess.run(["tmux", "-L", socket, "kill-server"], check=False, capture_output=True)
