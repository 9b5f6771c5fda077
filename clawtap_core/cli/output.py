"""Print JSON, tables and coloured labels; text of CLIs is sanitised."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import click

from clawtap_core.model import HistoryPage, LatestEvents, MachineState, SearchPage, Session
from clawtap_core.model.ansi import plain
from clawtap_core.transport import Transport

_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
# What a terminal obeys, or draws in another order, though JSON may hold it as it is.
_OBEYED = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(value: object) -> None:
    """Print one JSON document."""
    click.echo(_dumps(value, indent=2))


def print_line(value: object) -> None:
    """Print one line of JSON and flush it."""
    click.echo(_dumps(value))
    sys.stdout.flush()


def _dumps(value: object, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def echo(text: str = "", *, err: bool = False) -> None:
    """Print text without control characters; of escape sequences, colours are left.

    Every text may come from a CLI, a file's name or another machine: ids and folders, too.
    """
    pieces = enumerate(_COLOUR.split(text))
    click.echo("".join(piece if at % 2 else plain(piece) for at, piece in pieces), err=err)


def dumped(values: Iterable[object]) -> list[dict[str, Any]]:
    """Return values in wire form."""
    from clawtap_core.schemas import dump

    return [dump(value) for value in values]


def colourful() -> bool:
    """Return whether stdout is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def paint(text: str, ansi: str) -> str:
    """Return text in an SGR style, if colours are on."""
    return f"\x1b[{ansi}m{text}\x1b[0m" if ansi and colourful() else text


def harmless(text: str) -> str:
    """Return text without escape sequences."""
    return plain(text)


def one_line(text: str, most: int = 100) -> str:
    """Return sanitised text as one line of at most `most` characters."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def limit_line(session: Session) -> str:
    """Return a line on a session's usage limit, with its end in local time if that is known."""
    ends_at = session.limit and session.limit.ends_at
    return f"limit reached, resets at {local_time(ends_at)}" if ends_at else "limit reached"


def local_time(moment: datetime) -> str:
    """Return a time of today as 15:00, any other with its date."""
    local, today = moment.astimezone(), datetime.now().astimezone().date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%d %b %H:%M}"


class Labels:
    """The names of adapters in their brand's colours."""

    def __init__(self, server: Transport) -> None:
        self._infos = {status.info.id: status.info for status in server.adapters()}

    def __call__(self, adapter: str) -> str:
        """Return an adapter's name, or its id if the server does not know it."""
        info = self._infos.get(adapter)
        return paint(info.name, info.brand.ansi) if info else adapter


def print_more(cursor: str | None) -> None:
    """Print on stderr how to read the next page, if there is one."""
    if cursor:
        echo(f"(there is more: --cursor {cursor})", err=True)


def print_rest(page: HistoryPage | LatestEvents | SearchPage, what: str) -> None:
    """Print on stderr which machines' part is missing, and how to read the next page."""
    for status in page.missing:
        name = one_line(status.machine.name, 40)
        reason = one_line(status.detail or f"{name} does not answer", 300)
        if status.machine.state is MachineState.AWAY:
            since = status.since and status.since.astimezone().strftime(" since %Y-%m-%d %H:%M")
            reason = f"{name} has been away{since}" if since else f"{name} is away"
        echo(f"({reason}: its {what} is not shown)", err=True)
    print_more(page.cursor)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print aligned columns, ignoring the width of colour codes."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(plain(line[at])) for line in lines) for at in range(len(head))]
    for number, line in enumerate(lines):
        sized = zip(line, widths, strict=True)
        cells = [cell + " " * (width - len(plain(cell))) for cell, width in sized]
        text = "  ".join(cells).rstrip()
        echo(paint(text, "2") if number == 0 else text)
