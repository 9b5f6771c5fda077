"""A shell that somebody at the desk works in, and starts CLIs from."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

from cli_testbed import CliSession, CliTestbed
from clilab.desk import Seat
from patience import until

PROMPT = "desk$"
_QUIT = {"codex": "/quit", "gemini": "/quit", "qwen": "/quit"}
# This CLI asks for the same key twice.
_KEYS = {"kimi": ("C-d", "C-d")}


def open_shell(testbed: CliTestbed, cwd: Path, *paths: Path) -> Seat:
    """Open a pane with an interactive shell; `paths` come first on its PATH."""
    path = ":".join((*map(str, paths), testbed.env["PATH"]))
    env = {**testbed.env, "PATH": path, "PS1": f"{PROMPT} ", "HISTFILE": ""}
    # A Ctrl+D too many must not end it.
    seat = testbed.desk.open(("bash", "--norc", "-o", "ignoreeof", "-i"), cwd, env)
    seat.see(PROMPT)
    return seat


def run_in_shell(seat: Seat, command: str) -> None:
    """Start a command in an empty pane."""
    seat.type(f"clear; {command}")
    seat.press("Enter")
    seat.see_gone(PROMPT)


def start_command(testbed: CliTestbed) -> str:
    """Return the line that starts the CLI of a testbed."""
    return shlex.join((testbed.cli.name, *getattr(testbed, "flags", ())))


def quit_by_keys(talk: CliSession) -> None:
    """Leave the CLI as a person does; one Ctrl+C may only warn."""
    keys = _KEYS.get(talk.testbed.cli.name, ("C-c", "C-d"))

    def ended() -> bool:
        talk.seat.press(*keys)
        return bool(talk.get().body["state"] == "ended")

    until(ended, 60)
    _let_go(talk)


def quit_by_command(talk: CliSession) -> None:
    """Leave the CLI by its command."""
    command = _QUIT.get(talk.testbed.cli.name, "/exit")
    talk.seat.type(command)
    talk.seat.see(command)
    time.sleep(1)  # it completes what is typed
    talk.seat.press("Enter")
    until(lambda: talk.get().body["state"] == "ended")
    _let_go(talk)


def _let_go(talk: CliSession) -> None:
    talk.seat.see(PROMPT)  # rests of the CLI may stand below it
    talk.events.close()
