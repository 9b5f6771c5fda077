"""What commands print: JSON, tables, labels in their colours. Text of CLIs is made harmless."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from clawtap_core.model.ansi import plain
from clawtap_core.transport import Transport

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(value: object) -> None:
    """One JSON document."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_line(value: object) -> None:
    """One line of JSON, out at once."""
    click.echo(json.dumps(value, ensure_ascii=False))
    sys.stdout.flush()


def dumped(values: Iterable[object]) -> list[dict[str, Any]]:
    """Values in wire form."""
    from clawtap_core.schemas import dump

    return [dump(value) for value in values]


def colourful() -> bool:
    """Whether colours are wanted: on a terminal, and NO_COLOR not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def paint(text: str, ansi: str) -> str:
    """The text in an SGR style, where colours are wanted."""
    return f"\x1b[{ansi}m{text}\x1b[0m" if ansi and colourful() else text


def harmless(text: str) -> str:
    """Text of another program, without escape sequences."""
    return plain(text)


def one_line(text: str, most: int = 100) -> str:
    """Such text as one line of at most so many characters."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


class Labels:
    """Adapters' names in their brand's colours."""

    def __init__(self, server: Transport) -> None:
        self._infos = {status.info.id: status.info for status in server.adapters()}

    def __call__(self, adapter: str) -> str:
        """The name of an adapter; its id when the server does not know it."""
        info = self._infos.get(adapter)
        return paint(info.name, info.brand.ansi) if info else adapter


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns, aligned; colours take no room."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(plain(line[at])) for line in lines) for at in range(len(head))]
    for number, line in enumerate(lines):
        sized = zip(line, widths, strict=True)
        cells = [cell + " " * (width - len(plain(cell))) for cell, width in sized]
        text = "  ".join(cells).rstrip()
        click.echo(paint(text, "2") if number == 0 else text)
