"""The command record, which saves a screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from libtmux import Server
from libtmux.exc import TmuxCommandNotFound

from clawtap_core.errors import ErrorCode, NotFound, Unavailable
from clawtap_core.terminal.errors import gone

_FACTS = {
    "cols": "#{pane_width}",
    "rows": "#{pane_height}",
    "cursor": "[#{cursor_x},#{cursor_y}]",
    "cursor_visible": "#{cursor_flag}",
    "alternate_screen": "#{alternate_on}",
    "pane_title": "#{pane_title}",
}
_FLAGS = ("cursor_visible", "alternate_screen")


@click.command
@click.argument("pane")
@click.option("--socket", help="The socket name of the tmux server (tmux -L).")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The folder to write to.",
)
@click.option("--name", help="The name of the recording; default: that of the pane.")
def record(pane: str, socket: str | None, output: Path, name: str | None) -> None:
    """Save the screen of a pane such as %12 as a recording.

    NAME.ansi has the screen, NAME.json its size and cursor.
    """
    name = name or f"pane-{pane.lstrip('%')}"
    if Path(name).name != name:
        raise click.UsageError(f"--name must be a file name without folders, not {name!r}")
    output_line = _tmux(socket, "display-message", "-p", "-t", pane, "\t".join(_FACTS.values()))
    text = _tmux(socket, "capture-pane", "-p", "-e", "-t", pane)
    output.mkdir(parents=True, exist_ok=True)
    (output / f"{name}.ansi").write_text(text, encoding="utf-8")
    facts = json.dumps(pane_facts(output_line), ensure_ascii=False, indent=1)
    (output / f"{name}.json").write_text(facts + "\n", encoding="utf-8")
    click.echo(str(output / f"{name}.ansi"))


def pane_facts(line: str) -> dict[str, Any]:
    """Return the facts of a pane from the line that tmux printed."""
    values = line.rstrip("\n").split("\t", len(_FACTS) - 1)
    facts: dict[str, Any] = dict(zip(_FACTS, values, strict=True))
    facts.update({key: json.loads(facts[key]) for key in ("cols", "rows", "cursor")})
    facts.update({key: facts[key] == "1" for key in _FLAGS})
    return facts


def _tmux(socket: str | None, *argv: str) -> str:
    try:
        result = Server(socket_name=socket).cmd(*argv)
    except TmuxCommandNotFound as error:
        raise Unavailable("tmux is not installed", code=ErrorCode.TMUX_MISSING) from error
    if result.returncode:
        complaint = " ".join(result.stderr)
        if complaint.startswith(("no server running", "error connecting")):
            raise gone(complaint)
        raise NotFound(f"tmux: {complaint}", code=ErrorCode.PANE_NOT_FOUND)
    return "\n".join(result.stdout) + "\n"
