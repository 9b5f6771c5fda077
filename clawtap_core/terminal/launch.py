"""Start a program in a new tmux session."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from clawtap_core.errors import BadRequest, ErrorCode, Impossible
from clawtap_core.terminal.pane_list import OWNER
from clawtap_core.terminal.quoting import Command, literal_format

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
# tmux sets these itself in its panes; the values of our terminal would be wrong there.
_TERMINALS = {"TMUX", "TMUX_PANE", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LINES"}
_TERMINALS |= {"COLUMNS", "OLDPWD"}


def check_folder(cwd: str) -> str:
    """Return the folder as an absolute path; raise BadRequest if no program can run there."""
    path = Path(os.path.abspath(cwd))  # noqa: PTH100 - links stay as the user wrote them
    if not path.is_dir():
        raise BadRequest(f"no such folder: {path}", code=ErrorCode.NO_SUCH_FOLDER)
    if not os.access(path, os.X_OK):
        raise BadRequest(f"the folder {path} cannot be entered", code=ErrorCode.NO_SUCH_FOLDER)
    return str(path)


def check_program(argv: Sequence[str], env: Mapping[str, str]) -> None:
    """Raise Impossible if the program is not on the PATH that it would get."""
    if not argv or not shutil.which(argv[0], path=env.get("PATH", os.defpath)):
        name = argv[0] if argv else ""
        raise Impossible(
            f"the program {name!r} was not found; install it, or add its folder to the PATH of "
            "clawtap serve",
            code=ErrorCode.CLI_NOT_INSTALLED,
        )


def safe_names(name: str) -> Iterator[str]:
    """Yield names for the tmux session, to try in turn."""
    base = _UNSAFE.sub("-", name).strip("-")[:40] or "session"
    yield base
    for number in range(2, 1000):
        yield f"{base}-{number}"


def launch_commands(
    argv: Sequence[str],
    *,
    owner: str,
    session: str,
    cwd: str,
    env: Mapping[str, str],
    size: tuple[int, int],
) -> list[Command]:
    """Return the commands that create the session, print its pane's id and mark it."""
    target = f"={session}:"
    # tmux passes a single argument to a shell, but runs several as a program.
    program = argv if len(argv) > 1 else [shutil.which("env") or "/usr/bin/env", *argv]
    # One line, since the program may end at once.
    return [
        [
            *("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session),
            *("-x", str(size[0]), "-y", str(size[1]), "-c", literal_format(cwd)),
            *_environment({**env, "PWD": cwd}),
            *("--", *program),
        ],
        ("set-option", "-p", "-t", target, "remain-on-exit", "on"),
        ("set-option", "-t", target, "destroy-unattached", "off"),
        ("set-option", "-p", "-t", target, OWNER, owner),
        # tmux 3.2 makes the session as large as our client. Resized, its window would keep that
        # size in every terminal, if its option stayed.
        (
            *("if-shell", "-F", "#{m:3.2*,#{version}}"),
            f"resize-window -t {target} -x {size[0]} -y {size[1]} ;"
            f" set-option -w -u -t {target} window-size",
        ),
    ]


def _environment(env: Mapping[str, str]) -> Iterator[str]:
    # tmux takes 24-bit colours from its panes whatever terminal looks at them. A service that was
    # started by ssh, systemd or cron has no COLORTERM, and CLIs warn of the missing colours.
    colours = {} if "NO_COLOR" in env else {"COLORTERM": "truecolor"}
    for name, value in {**colours, **env}.items():
        if name and name not in _TERMINALS:
            yield from ("-e", f"{name}={value}")
