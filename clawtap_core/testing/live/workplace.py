"""Where a CLI is checked: folders, a tmux server and a runtime of its own, all gone afterwards."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawtap_core.host import Host
from clawtap_core.journal import SqliteJournal
from clawtap_core.model import LiveCheck, LiveLaunch, LivePlace
from clawtap_core.runtime import Runtime
from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.api import PaneFacts
from clawtap_core.terminal.tmux import TmuxTerminal
from clawtap_core.testing.leaks import end_server


@dataclass(frozen=True)
class Workplace:
    """The runtime that watches the CLI, the CLI's folder, and how it is started."""

    runtime: Runtime
    project: Path
    launch: LiveLaunch


@contextmanager
def open_workplace(
    host: Host,
    check: LiveCheck,
    program: Path,
    version: str | None,
    *,
    name: str | None,
    patience: float,
) -> Iterator[Workplace]:
    """Give a workplace, and end what runs in it; `patience` limits every wait for the CLI.

    `name` stands for the program on the CLI's PATH.
    """
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="clawtap-live-")).resolve()
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        home, project, scratch = (folder / name for name in ("home", "project", "tmp"))
        for each in (home, home / "bin", project, scratch):
            each.mkdir()
        if name:
            _write_wrapper(home / "bin" / name, program)
        stack.callback(check.stop)
        env = bare_environment(home, scratch, program)
        launch = check.start(LivePlace(home, project, program, env, version))
        env.update(launch.env)
        socket = str(folder / "tmux")
        stack.callback(end_server, socket)
        runtime = Runtime(
            host,
            _OneProgram(program, socket, env),
            SqliteJournal(folder / "journal.db"),
            env=env,
            timings=Timings(
                delivery=patience,
                answer_leaves=patience,
                message_leaves=patience / 2,
                protocol_accepts=patience,
            ),
        )
        stack.callback(runtime.close)
        yield Workplace(runtime, project, launch)


def bare_environment(home: Path, scratch: Path, program: Path) -> dict[str, str]:
    """Return what a CLI needs to run, without anything that is the user's own."""
    path = (str(home / "bin"), str(program.parent), os.environ.get("PATH", os.defpath))
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join(path),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "SHELL": "/bin/sh",
    }


def _write_wrapper(path: Path, program: Path) -> None:
    """Let a name on the PATH stand for the program, which may look for files next to itself."""
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(str(program))} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


class _OneProgram(TmuxTerminal):
    """Starts this program in place of the one that the adapter names."""

    def __init__(self, program: Path, socket: str, env: Mapping[str, str]) -> None:
        super().__init__(socket, environment=env)
        self._program = program

    def launch(self, argv: Sequence[str], **options: Any) -> PaneFacts:
        """Start it with the arguments of the other."""
        return super().launch((str(self._program), *argv[1:]), **options)
