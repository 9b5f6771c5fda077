"""The command search."""

from __future__ import annotations

import click

from clawtap_core.cli.connection import with_machine
from clawtap_core.cli.output import (
    Labels,
    as_json,
    dumped,
    echo,
    one_line,
    paint,
    print_json,
    print_rest,
    print_table,
)
from clawtap_core.errors import BadRequest
from clawtap_core.model import MessageMatch, SearchPage, SessionMatch
from clawtap_core.transport import Transport

_MATCH = "1;33"


@click.command
@click.argument("text", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@click.option("--cursor", help="Continue from an earlier page.")
@as_json
@with_machine
def search(
    server: Transport, text: tuple[str, ...], limit: int, cursor: str | None, as_json: bool
) -> None:
    """Find sessions and messages by words or "phrases".

    Stored conversations are searched too.
    """
    words = " ".join(text)
    if not words.strip():
        raise BadRequest("give at least one word to search for")
    page = server.search(words, cursor=cursor, limit=limit)
    if as_json:
        print_json(dumped([page])[0])
        return
    labels = Labels(server)
    if page.sessions:
        rows = [_session_row(labels, match) for match in page.sessions]
        head: tuple[str, ...] = ("CLI", "SESSION", "LAST", "TITLE", "FOLDER")
        if any(match.machine for match in page.sessions):
            names = [_machine(match) for match in page.sessions]
            rows = [(name, *row) for name, row in zip(names, rows, strict=True)]
            head = ("MACHINE", *head)
        print_table(head, rows)
    for match in page.messages:
        echo(_message_lines(labels, match))
    _print_rest(page)


def _session_row(labels: Labels, match: SessionMatch) -> tuple[str, ...]:
    last = match.last_activity.astimezone().strftime("%Y-%m-%d %H:%M")
    name = match.session_id or match.cli_session_id or ""
    title = one_line(match.title, 60) + (" (archived)" if match.archived else "")
    return labels(match.adapter), name, last, title, one_line(match.cwd or "?", 60)


def _machine(match: SessionMatch | MessageMatch) -> str:
    return one_line(match.machine.name, 40) if match.machine else ""


def _message_lines(labels: Labels, match: MessageMatch) -> str:
    when = match.at.astimezone().strftime("%Y-%m-%d %H:%M")
    session = one_line(match.title or match.cli_session_id, 60)
    parts = [
        paint(_shown(part.text), _MATCH) if part.match else _shown(part.text)
        for part in match.snippet
    ]
    where = f"{_machine(match)}  " if match.machine else ""
    head = f"{where}{labels(match.adapter)}  {session}  {when}  {match.role}"
    return f"\n{head}\n    {''.join(parts)}"


def _shown(text: str) -> str:
    """Return a part of a line with the spaces at its ends."""
    start = " " if text[:1].isspace() else ""
    end = " " if text[-1:].isspace() and text.strip() else ""
    return start + one_line(text, 400) + end


def _print_rest(page: SearchPage) -> None:
    if not page.sessions and not page.messages:
        echo("nothing found", err=True)
    print_rest(page, "part of the results")
    if not page.complete:
        echo("(stored conversations are still being read)", err=True)
