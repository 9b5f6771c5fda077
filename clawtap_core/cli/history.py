"""The command history."""

from __future__ import annotations

from pathlib import Path

import click

from clawtap_core.cli.connection import with_machine
from clawtap_core.cli.output import (
    Labels,
    as_json,
    dumped,
    harmless,
    one_line,
    paint,
    print_json,
    print_table,
)
from clawtap_core.errors import BadRequest
from clawtap_core.model import Block, Message, StoredConversation, StoredSession
from clawtap_core.transport import Transport

_COLOURS = {"user": "36", "assistant": "32", "system": "33"}


@click.command
@click.argument("adapter", required=False)
@click.argument("cli_session", required=False)
@click.option("--cwd", type=click.Path(), help="Only conversations in this folder.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@as_json
@with_machine
def history(
    server: Transport,
    adapter: str | None,
    cli_session: str | None,
    cwd: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List stored conversations, newest first, or read one."""
    if adapter and cli_session:
        _read(server.stored(adapter, _whole_id(server, adapter, cli_session), limit=limit), as_json)
        return
    folder = str(Path(cwd).resolve()) if cwd else None
    conversations = server.history(adapter=adapter, cwd=folder, limit=limit)
    if as_json:
        print_json(dumped(conversations))
        return
    labels = Labels(server)
    rows = [_row(labels, stored) for stored in conversations]
    print_table(("ADAPTER", "SESSION", "LAST", "FOLDER", "TITLE"), rows)


def _row(labels: Labels, stored: StoredSession) -> tuple[str, ...]:
    last = stored.last_activity.astimezone().strftime("%Y-%m-%d %H:%M")
    title = one_line(stored.title or "", 60)
    where = one_line(stored.cwd or "?", 60)
    return labels(stored.adapter), stored.cli_session_id, last, where, title


def _whole_id(server: Transport, adapter: str, name: str) -> str:
    """Return the only id with this prefix; an unknown one is left for the server to refuse."""
    ids = {stored.cli_session_id for stored in server.history(adapter=adapter, limit=1000)}
    matches = [whole for whole in ids if whole.startswith(name)]
    if name in ids or not matches:
        return name
    if len(matches) > 1:
        raise BadRequest(f"{name!r} matches several sessions: {', '.join(sorted(matches))}")
    return matches[0]


def _read(conversation: StoredConversation, as_json: bool) -> None:
    if as_json:
        print_json(dumped([conversation])[0])
        return
    if conversation.page.more:
        click.echo("(there is more before this: --limit)", err=True)
    for message in conversation.page.messages:
        click.echo(
            f"{paint(message.role, _COLOURS.get(message.role, ''))}: {message_text(message)}"
        )


def message_text(message: Message) -> str:
    """Return a message as text, with one line for each tool call."""
    return "\n".join(filter(None, map(_block, message.content)))


def _block(block: Block) -> str:
    if block.type == "tool_use":
        call = one_line(str(dict(block.input or {})), 100)
        return f"[{harmless(block.tool_name or '?')} {call}: {block.status}]"
    return harmless(block.text) if block.type == "text" else ""
