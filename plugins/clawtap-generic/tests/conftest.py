"""Small real programs in a pane of a real tmux, adopted as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import clawtap_generic
import pytest
from demo_testbed import open_runtime
from patience import until

from clawtap_core import Prompt, PromptState, Response
from clawtap_core.model import Actor
from clawtap_core.runtime import DirectTransport

Run = Callable[..., "Program"]


@dataclass
class Program:
    """A program in an adopted pane, and what a user sees of it."""

    transport: DirectTransport
    socket: str
    id: str
    pane: str

    def prompt(self) -> Prompt:
        """Return the prompt that waits, once it does."""
        return until(lambda: next(iter(self.transport.pending(self.id)), None), what=self.screen)

    def answer(self, prompt: Prompt, **answer: Any) -> PromptState:
        """Answer, and return how the prompt ended."""
        response = Response(prompt.request_id, **answer)
        return self.transport.respond(self.id, response).state

    def types(self, text: str) -> None:
        """Type as the person at the desk."""
        command = ("tmux", "-L", self.socket, "send-keys", "-t", self.pane, "-l", text)
        subprocess.run(command, check=True)

    def resize(self, cols: int, rows: int) -> None:
        """Give the pane another size."""
        size = ("-x", str(cols), "-y", str(rows))
        command = ("tmux", "-L", self.socket, "resize-window", "-t", self.pane, *size)
        subprocess.run(command, check=True)

    def screen(self) -> str:
        """Return the text of the pane."""
        command = ("tmux", "-L", self.socket, "capture-pane", "-p", "-t", self.pane)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def until_text(self, text: str) -> None:
        until(lambda: text in self.screen(), what=self.screen)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs a command in a pane, and adopts it with this adapter.

    `typed` is typed into it first, until the screen ends with `asks`.
    """
    socket = f"clawtap-generic-{os.getpid()}-{time.monotonic_ns()}"
    tmux = ("tmux", "-L", socket, "-f", os.devnull)
    runtimes = []

    def begin(*command: str, typed: str = "", asks: str = "") -> Program:
        size = ("-x", "80", "-y", "24", "-c", str(tmp_path))
        new = (*tmux, "new-session", "-dP", "-F", "#{pane_id}", *size, "--", *command)
        pane = subprocess.run(new, check=True, capture_output=True, text=True).stdout.strip()
        if typed:
            subprocess.run([*tmux, "send-keys", "-t", pane, typed, "Enter"], check=True)
            capture = [*tmux, "capture-pane", "-p", "-t", pane]
            until(lambda: subprocess.check_output(capture, text=True).rstrip().endswith(asks))
        runtime = open_runtime(socket, tmp_path, plugin=clawtap_generic)
        runtimes.append(runtime)
        transport = DirectTransport(runtime, Actor("ann", "phone"))
        return Program(transport, socket, transport.adopt(pane, "generic").id, pane)

    yield begin
    for runtime in runtimes:
        runtime.close()
    subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def python(run: Run) -> Run:
    """Runs lines of Python, and waits at their end."""

    def begin(*lines: str) -> Program:
        return run(sys.executable, "-c", "\n".join(("import time", *lines, "time.sleep(600)")))

    return begin


@pytest.fixture
def shell(run: Run) -> Run:
    """Runs a script of bash, and waits at its end."""

    def begin(script: str) -> Program:
        return run("bash", "--norc", "-c", f"{script}\nsleep 600")

    return begin
