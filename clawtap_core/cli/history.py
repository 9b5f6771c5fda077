"""The command history."""

from __future__ import annotations

from pathlib import Path

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_machine
from clawtap_core.cli.output import (
    Labels,
    as_json,
    dumped,
    echo,
    harmless,
    one_line,
    paint,
    print_json,
    print_rest,
    print_table,
)
from clawtap_core.errors import BadRequest
from clawtap_core.model import Block, Message, StoredConversation, StoredSession
from clawtap_core.transport import Transport

_COLOURS = {"user": "36", "assistant": "32", "system": "33"}


@click.command
@click.argument("adapter", required=False, shell_complete=complete.adapters)
@click.argument("cli_session", required=False)
@click.option("--cwd", type=click.Path(), help="Only conversations in this folder.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@click.option("--cursor", help="Continue from an earlier page.")
@as_json
@with_machine
def history(
    server: Transport,
    adapter: str | None,
    cli_session: str | None,
    cwd: str | None,
    limit: int,
    cursor: str | None,
    as_json: bool,
) -> None:
    """List stored conversations, newest first, or read one."""
    if adapter and cli_session:
        _read(_conversation(server, adapter, cli_session, limit), as_json)
        return
    folder = str(Path(cwd).resolve()) if cwd else None
    page = server.history(adapter=adapter, cwd=folder, cursor=cursor, limit=limit)
    if as_json:
        print_json(dumped(page.sessions))
        print_rest(page, "history")
        return
    labels = Labels(server)
    rows = [_row(labels, stored) for stored in page.sessions]
    header: tuple[str, ...] = ("ADAPTER", "SESSION", "LAST", "FOLDER", "TITLE")
    if any(stored.machine for stored in page.sessions):
        names = [one_line(one.machine.name if one.machine else "", 40) for one in page.sessions]
        rows = [(name, *row) for name, row in zip(names, rows, strict=True)]
        header = ("MACHINE", *header)
    print_table(header, rows)
    print_rest(page, "history")


def _row(labels: Labels, stored: StoredSession) -> tuple[str, ...]:
    last = stored.last_activity.astimezone().strftime("%Y-%m-%d %H:%M")
    title = one_line(stored.title or "", 60)
    where = one_line(stored.cwd or "?", 60)
    return labels(stored.adapter), stored.cli_session_id, last, where, title


def _conversation(server: Transport, adapter: str, name: str, limit: int) -> StoredConversation:
    """Return the conversation with this id or prefix; the server refuses an unknown one."""
    stored = server.history(adapter=adapter, limit=1000).sessions
    exact = [session for session in stored if session.cli_session_id == name]
    matches = exact or [session for session in stored if session.cli_session_id.startswith(name)]
    if len(matches) > 1:
        names = ", ".join(sorted(map(_with_machine, matches)))
        raise BadRequest(f"{name!r} matches several sessions: {names}")
    if not matches:
        return server.stored(adapter, name, limit=limit)
    machine = matches[0].machine
    there = server.at(machine.id) if machine else server
    return there.stored(adapter, matches[0].cli_session_id, limit=limit)


def _with_machine(stored: StoredSession) -> str:
    return stored.cli_session_id + (f" on {stored.machine.name}" if stored.machine else "")


def _read(conversation: StoredConversation, as_json: bool) -> None:
    if as_json:
        print_json(dumped([conversation])[0])
        return
    if conversation.page.more:
        echo("(there is more before this: --limit)", err=True)
    for message in conversation.page.messages:
        echo(f"{paint(message.role, _COLOURS.get(message.role, ''))}: {message_text(message)}")


def message_text(message: Message) -> str:
    """Return a message as text, with one line for each tool call."""
    return "\n".join(filter(None, map(_block, message.content)))


def _block(block: Block) -> str:
    if block.type == "tool_use":
        call = one_line(str(dict(block.input or {})), 100)
        return f"[{harmless(block.tool_name or '?')} {call}: {block.status}]"
    return harmless(block.text) if block.type == "text" else ""
