"""The person at the desk: a tmux server of our own, looked at and typed into by tmux commands."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from clawtap_core.terminal.foreground import end_group
from clawtap_core.testing.leaks import end_server


class NotSeen(AssertionError):
    """A screen did not show in time what was expected of it."""


class Desk:
    """One tmux server with a unique socket name; `close` ends it and all that runs in it."""

    def __init__(self, socket: str | None = None) -> None:
        self.socket = socket or f"clawtap-lab-{uuid.uuid4().hex[:12]}"

    def tmux(self, *arguments: str) -> str:
        """Run a tmux command; what it prints."""
        command = ("tmux", "-L", self.socket, "-f", os.devnull, *arguments)
        env = {key: value for key, value in os.environ.items() if not key.startswith("TMUX")}
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
        if done.returncode:
            raise RuntimeError(f"tmux {arguments[0]}: {done.stderr.strip()}")
        return done.stdout

    def open(
        self,
        argv: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        *,
        cols: int = 120,
        rows: int = 40,
    ) -> Seat:
        """Start a program in a pane, with no other environment than this."""
        size = ("-x", str(cols), "-y", str(rows))
        return self._start("new-session", *size, "-c", str(cwd), *_alone(argv, env))

    def split(self, seat: Seat, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Seat:
        """Start a program in the right half of a pane, which keeps the left one."""
        place = ("-h", "-t", seat.pane, "-c", str(cwd))
        return self._start("split-window", *place, *_alone(argv, env))

    def _start(self, command: str, *arguments: str) -> Seat:
        pane = self.tmux(command, "-dP", "-F", "#{pane_id}", *arguments)
        return Seat(self, pane.strip())

    def close(self) -> None:
        """End the server, and what runs in its panes."""
        end_server(self.socket)


def _alone(argv: Sequence[str], env: Mapping[str, str]) -> tuple[str, ...]:
    return ("env", "-i", *(f"{key}={value}" for key, value in env.items()), *argv)


class Seat:
    """One pane as its user sees it."""

    def __init__(self, desk: Desk, pane: str) -> None:
        self.desk = desk
        self.pane = pane

    def text(self) -> str:
        """What the pane shows."""
        return self.desk.tmux("capture-pane", "-p", "-t", self.pane)

    def title(self) -> str:
        """The window title."""
        return self.desk.tmux("display-message", "-p", "-t", self.pane, "#{pane_title}").strip()

    def press(self, *keys: str) -> None:
        """Press keys by their tmux names, a moment apart."""
        for key in keys:
            self.desk.tmux("send-keys", "-t", self.pane, key)
            time.sleep(0.05)

    def type(self, text: str) -> None:
        """Type text, key by key."""
        self.desk.tmux("send-keys", "-t", self.pane, "-l", "--", text)

    def say(self, text: str) -> None:
        """Type a message and send it: Enter only when the text is seen to stand there."""
        self.type(text)
        self.see(text[-40:])
        # The CLI takes an Enter that follows a key within 30 ms for a newline.
        time.sleep(0.15)
        self.press("Enter")

    def resize(self, cols: int, rows: int) -> None:
        """Give the window another size."""
        size = ("-x", str(cols), "-y", str(rows))
        self.desk.tmux("resize-window", "-t", self.pane, *size)

    def see(self, *texts: str, seconds: float = 60.0) -> str:
        """Wait until the pane shows all these texts; the screen that does."""
        return self.until(lambda screen: all(text in screen for text in texts), texts, seconds)

    def see_gone(self, *texts: str, seconds: float = 60.0) -> str:
        """Wait until the pane shows none of these texts."""
        return self.until(lambda screen: not any(text in screen for text in texts), texts, seconds)

    def until(
        self, holds: Callable[[str], bool], what: object = "it", seconds: float = 60.0
    ) -> str:
        """Wait until the screen is as wanted; NotSeen shows the one there was."""
        end = time.monotonic() + seconds
        while not holds(screen := self.text()):
            if time.monotonic() > end:
                raise NotSeen(f"waited {seconds:g} s for {what}; the pane shows:\n{screen}")
            time.sleep(0.05)
        return screen

    def close(self) -> None:
        """End the pane and what runs in it: a CLI may miss the hang-up."""
        with contextlib.suppress(RuntimeError):
            group = self.desk.tmux("display-message", "-p", "-t", self.pane, "#{pane_pid}")
            self.desk.tmux("kill-pane", "-t", self.pane)
            end_group(int(group), patience=3)
