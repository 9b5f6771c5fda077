"""The commands send, queue, interrupt, mode and model."""

from __future__ import annotations

import sys

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_server
from clawtap_core.cli.lookup import queued_id, session_named
from clawtap_core.cli.output import (
    as_json,
    dumped,
    echo,
    local_time,
    one_line,
    print_json,
    print_table,
)
from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.model import QueuedMessage, Session
from clawtap_core.transport import Transport


@click.command
@click.argument("session", shell_complete=complete.sessions)
@click.argument("message", nargs=-1)
@as_json
@with_server
def send(server: Transport, session: str, message: tuple[str, ...], as_json: bool) -> None:
    """Send a message, or queue it while the CLI is busy. Read stdin if MESSAGE is - or missing."""
    target = session_named(server, session)
    text = " ".join(message)
    if text in ("", "-"):
        text = sys.stdin.read().strip()
    if not text:
        raise BadRequest("the message is empty", code=ErrorCode.MESSAGE_REQUIRED)
    sent = server.message(target.id, text)
    if as_json:
        print_json(dumped([sent])[0])
    else:
        waits = f" until {target.machine.name} is back" if sent.until and target.machine else ""
        latest = f", at the latest {local_time(sent.until)}" if sent.until else ""
        queued = f" as {sent.message_id}" if sent.message_id else ""
        why = f": {sent.detail}" if sent.detail else ""
        echo(one_line(f"{sent.status}{queued}{waits}{latest}{why}", 300))


@click.command
@click.argument("session", shell_complete=complete.sessions)
@click.option("--take-back", metavar="ID", help="Remove this message; nothing of it is sent.")
@as_json
@with_server
def queue(server: Transport, session: str, take_back: str | None, as_json: bool) -> None:
    """List the messages that wait to be sent to a session, or take one back."""
    target = session_named(server, session)
    if take_back:
        server.take_back(target.id, queued_id(server, target.id, take_back))
    messages = server.queue(target.id)
    if as_json:
        print_json(dumped(messages))
    elif not messages:
        echo("no messages wait")
    else:
        print_table(("ID", "QUEUED", "WAITS UNTIL", "MESSAGE"), [_row(each) for each in messages])


def _row(message: QueuedMessage) -> list[str]:
    until = local_time(message.until) if message.until else ""
    return [message.id, local_time(message.queued_at), until, one_line(message.message, 60)]


@click.command
@click.argument("session", shell_complete=complete.sessions)
@as_json
@with_server
def interrupt(server: Transport, session: str, as_json: bool) -> None:
    """Interrupt a busy session."""
    _print(server.interrupt(session_named(server, session).id), as_json)


@click.command
@click.argument("session", shell_complete=complete.sessions)
@click.argument("mode", shell_complete=complete.modes)
@as_json
@with_server
def mode(server: Transport, session: str, mode: str, as_json: bool) -> None:
    """Set the permission mode of a session."""
    _print(server.permission_mode(session_named(server, session).id, mode), as_json)


@click.command
@click.argument("session", shell_complete=complete.sessions)
@click.argument("model", shell_complete=complete.modes)
@as_json
@with_server
def model(server: Transport, session: str, model: str, as_json: bool) -> None:
    """Set the model of a session."""
    _print(server.model(session_named(server, session).id, model), as_json)


def _print(session: Session, as_json: bool) -> None:
    if as_json:
        print_json(dumped([session])[0])
        return
    settings = {"mode": session.mode, "model": session.model}
    suffix = "".join(f", {name} {value}" for name, value in settings.items() if value)
    echo(f"{session.id}: {session.state.value}{suffix}")
