"""The commands new, adopt, ls, attach and end."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_machine, with_server
from clawtap_core.cli.lookup import session_named, short_ids
from clawtap_core.cli.output import (
    Labels,
    as_json,
    dumped,
    echo,
    local_time,
    one_line,
    paint,
    print_json,
    print_table,
)
from clawtap_core.errors import ErrorCode, Impossible, Unavailable
from clawtap_core.model import LaunchRequest, PaneInfo, Session
from clawtap_core.model.session import PANE_COLS, PANE_ROWS
from clawtap_core.transport import Transport

_STATES = {"waiting": "33", "busy": "36", "idle": "32", "limited": "35", "ended": "2", "lost": "31"}


@click.command
@click.argument("adapter", shell_complete=complete.adapters)
@click.argument("args", nargs=-1)
@click.option(
    "--cwd", type=click.Path(path_type=Path), default=Path(), help="The folder to work in."
)
@click.option("-m", "--message", help="The first message.")
@click.option("--model", help="The id of the model.")
@click.option("--mode", "permission_mode", help="The id of the permission mode.")
@click.option("--effort", help="The id of the effort level.")
@click.option("--resume", help="The CLI's own id of a conversation to resume.")
@click.option(
    "--channel", default="terminal", help="terminal, or protocol for a session without a pane."
)
@click.option("--cols", type=click.IntRange(*PANE_COLS), default=120, show_default=True)
@click.option("--rows", type=click.IntRange(*PANE_ROWS), default=40, show_default=True)
@as_json
@with_machine
def new(
    server: Transport, adapter: str, args: tuple[str, ...], cwd: Path, as_json: bool, **how: str
) -> None:
    """Start a CLI session. Arguments after `--` are passed to the CLI."""
    request = LaunchRequest(adapter, str(cwd.absolute()), args=args, **how)  # type: ignore[arg-type]
    _print_session(server.start(request), as_json)


@click.command
@click.argument("pane", required=False, shell_complete=complete.panes)
@click.option(
    "--adapter",
    shell_complete=complete.adapters,
    help="The adapter to use; default: the one that knows the program.",
)
@as_json
@with_machine
def adopt(server: Transport, pane: str | None, adapter: str | None, as_json: bool) -> None:
    """Adopt a running pane such as %12, or list such panes."""
    if pane:
        _print_session(server.adopt(pane, adapter), as_json)
    elif as_json:
        print_json(dumped(server.panes()))
    else:
        label = Labels(server)
        rows = [_pane_row(pane, label) for pane in server.panes()]
        print_table(["PANE", "PROGRAM", "CLI", "SESSION", "SIZE", "FOLDER"], rows)


@click.command
@click.option("--archived", is_flag=True, help="List only archived sessions.")
@as_json
@with_machine
def ls(server: Transport, archived: bool, as_json: bool) -> None:
    """List the sessions, newest activity first."""
    sessions = [session for session in server.sessions() if session.archived is archived]
    if as_json:
        print_json(dumped(sessions))
        return
    label, short = Labels(server), short_ids([session.id for session in sessions])
    # Only a fleet has machines to tell apart.
    several = any(session.machine for session in sessions)
    rows = [
        [
            short[session.id],
            *([one_line(session.machine.name if session.machine else "", 20)] if several else []),
            label(session.adapter),
            *_columns(session),
        ]
        for session in sessions
    ]
    machine = ["MACHINE"] if several else []
    print_table(["ID", *machine, "CLI", "STATE", "ASKS", "QUEUED", "TITLE", "FOLDER"], rows)


@click.command
@click.argument("session", shell_complete=complete.sessions)
@click.option("--tmux-socket", help="The socket name of the tmux server (tmux -L).")
@with_server
def attach(server: Transport, session: str, tmux_socket: str | None) -> None:
    """Open the terminal of a session with tmux (leave with C-b d)."""
    target = session_named(server, session)
    machine = target.machine
    if machine and not machine.here:
        # A pane of this machine may have the same id.
        raise Impossible(
            f"the session runs on {one_line(machine.name, 40)}; open its terminal there",
            code=ErrorCode.OTHER_MACHINE,
        )
    if target.pane is None:
        raise Impossible(f"the session {target.id} has no pane", code=ErrorCode.NO_SCREEN)
    from clawtap_core.config import load_settings

    socket = tmux_socket or load_settings().tmux_socket
    if not has_pane(target.pane, socket):
        where = f"socket {socket}" if socket else "default socket"
        raise Unavailable(
            f"tmux has no pane {target.pane} on its {where}; name the one that the server uses"
            " with --tmux-socket",
            code=ErrorCode.PANE_NOT_FOUND,
        )
    argv = attach_argv(target.pane, socket, inside="TMUX" in os.environ)
    os.execvp(argv[0], argv)  # noqa: S606 - tmux itself shows the pane, no shell


@click.command
@click.argument("session", shell_complete=complete.sessions)
@click.option("--undo", is_flag=True, help="Put it back on the list.")
@as_json
@with_server
def archive(server: Transport, session: str, undo: bool, as_json: bool) -> None:
    """Take a session off the list, or put it back.

    It keeps running, and search still finds it.
    """
    changed = server.archive(session_named(server, session).id, not undo)
    if as_json:
        print_json(dumped([changed])[0])
    else:
        echo(f"{changed.id} {'is back on the list' if undo else 'archived'}")


@click.command
@click.argument("session", shell_complete=complete.sessions)
@as_json
@with_server
def end(server: Transport, session: str, as_json: bool) -> None:
    """End a started session, or release an adopted one."""
    target = session_named(server, session)
    server.end(target.id)
    if as_json:
        print_json({"ok": True, "sessionId": target.id})
    else:
        echo(f"{'ended' if target.origin == 'launched' else 'released'}: {target.id}")


def has_pane(pane: str, socket: str | None) -> bool:
    """Return whether the tmux server of this socket has the pane."""
    where = ["-L", socket] if socket else []
    argv = ["tmux", *where, "list-panes", "-a", "-F", "#{pane_id}"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return pane in done.stdout.split()


def attach_argv(pane: str, socket: str | None, *, inside: bool) -> list[str]:
    """Return the tmux command that shows a pane, from inside or outside tmux."""
    show = ["switch-client", "-t", pane] if inside else ["attach-session", "-t", pane]
    where = ["-L", socket] if socket else []
    return ["tmux", *where, "select-window", "-t", pane, ";", "select-pane", "-t", pane, ";", *show]


def _columns(session: Session) -> list[str]:
    state = session.state.value
    until = session.limit and session.limit.ends_at
    shown = f"{state} until {local_time(until)}" if state == "limited" and until else state
    return [
        paint(shown, _STATES.get(state, "")),
        str(session.pending or ""),
        str(session.queued or ""),
        one_line(session.title, 40),
        one_line(session.cwd, 500),
    ]


def _print_session(session: Session, as_json: bool) -> None:
    if as_json:
        print_json(dumped([session])[0])
    else:
        where = f" in pane {session.pane}" if session.pane else ""
        echo(f"{session.id}  {session.adapter}{where}, {session.state.value}")


def _pane_row(pane: PaneInfo, label: Labels) -> list[str]:
    name = label(pane.adapter) if pane.adapter else ""
    size = f"{pane.cols}x{pane.rows}"
    command, folder = one_line(pane.command, 30), one_line(pane.cwd, 500)
    return [pane.pane, command, name, pane.session_id or "", size, folder]
