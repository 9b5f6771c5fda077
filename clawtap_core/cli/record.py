"""The command record, which saves a screen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from libtmux import Server
from libtmux.exc import TmuxCommandNotFound

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.output import echo, one_line, paint
from clawtap_core.cli.screens import adapter_named, read_as, read_screen
from clawtap_core.config import load_settings
from clawtap_core.errors import ErrorCode, NotFound, Unavailable
from clawtap_core.model import Screen
from clawtap_core.terminal.errors import gone
from clawtap_core.terminal.foreground import input_facts
from clawtap_core.testing.missed_prompt import option_rows
from clawtap_core.testing.recordings import Truth, sidecar_facts, title_of_cli
from clawtap_core.testing.truth import truth_as_read

_FACTS = {
    "cols": "#{pane_width}",
    "rows": "#{pane_height}",
    "cursor": "[#{cursor_x},#{cursor_y}]",
    "cursor_visible": "#{cursor_flag}",
    "alternate_screen": "#{alternate_on}",
    "pane_title": "#{pane_title}",
}
_FLAGS = ("cursor_visible", "alternate_screen")


# In NAME.json `rows` is the height of the pane, and what Truth calls rows are its `options`.
_TRUTH = {field.name for field in fields(Truth)} - {"rows"} | {"options"}


@click.command
@click.argument("panes", metavar="PANE...", nargs=-1, required=True)
@click.option(
    "--tmux-socket",
    "--socket",
    "socket",
    help="The socket name of the tmux server (tmux -L); default: that of the settings.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The folder to write to.",
)
@click.option("--name", help="The name of the recording; default: that of the pane.")
@click.option("--accept", is_flag=True, help="Also write what --adapter reads as the truth.")
@click.option(
    "--adapter",
    "adapter_id",
    shell_complete=complete.adapters,
    help="The adapter that reads the screen for --accept.",
)
def record(
    panes: Sequence[str],
    socket: str | None,
    output: Path,
    name: str | None,
    accept: bool,
    adapter_id: str | None,
) -> None:
    """Save the screen of a pane such as %12 as a recording.

    NAME.ansi has the screen, NAME.json its size and cursor. With --accept, NAME.json also gets the
    truth for tests: what the adapter reads now, for you to check. Files that were recorded before,
    such as allow.ansi, may then take the place of the pane.
    """
    if accept != bool(adapter_id):
        raise click.UsageError("--accept and --adapter go together")
    recorded = [pane for pane in panes if pane.endswith(".ansi")]
    if recorded and not accept:
        raise click.UsageError(f"{recorded[0]} is already recorded: give a pane, or --accept")
    if len(panes) > 1 and len(recorded) < len(panes):
        raise click.UsageError("give one pane, or files that were recorded before")
    files = [Path(pane) for pane in recorded] or [_captured(panes[0], socket, output, name)]
    if adapter_id:
        for file in files:
            _accept(adapter_id, file)
        echo("compare it with the screen and correct it: the tests take this as the truth")


def _captured(pane: str, socket: str | None, output: Path, name: str | None) -> Path:
    name = name or f"pane-{pane.lstrip('%')}"
    if Path(name).name != name:
        raise click.UsageError(f"--name must be a file name without folders, not {name!r}")
    file = _capture(pane, socket or load_settings().tmux_socket, output / f"{name}.ansi")
    echo(str(file))
    return file


def _capture(pane: str, socket: str | None, file: Path) -> Path:
    output_line = _tmux(socket, "display-message", "-p", "-t", pane, "\t".join(_FACTS.values()))
    text = _tmux(socket, "capture-pane", "-p", "-e", "-t", pane)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    tty = _tmux(socket, "display-message", "-p", "-t", pane, "#{pane_tty}").strip()
    _write_json(file, {**pane_facts(output_line), **input_facts(tty)})
    return file


def _accept(adapter_id: str, file: Path) -> None:
    """Write the truth as the adapter reads it, and keep what else is in NAME.json."""
    adapter, screen = adapter_named(adapter_id), read_screen(str(file), None, None)
    form, seen = read_as(adapter, screen, str(file))
    truth, before = truth_as_read(form, seen), sidecar_facts(file)
    kept = {key: value for key, value in before.items() if key not in _TRUTH}
    _write_json(file, {**kept, **truth})
    echo(f"{file.with_suffix('.json')} now holds what {adapter_id} reads:")
    for key in [*truth, *(key for key in before if key in _TRUTH and key not in truth)]:
        now, then = _shown(truth.get(key)), _shown(before.get(key))
        if now or then:
            echo(f"  {key}: {now}" + (f"  (before: {then})" if then and then != now else ""))
    if form is None:
        _say_that_it_asks_nothing(screen, understood=seen is not None)


def _say_that_it_asks_nothing(screen: Screen, *, understood: bool) -> None:
    if understood or not (rows := option_rows(screen)):
        echo("if the screen asks something, see clawtap detect --explain")
        return
    first, last = rows[0].first + 1, rows[-1].last + 1
    warning = (
        f"warning: no prompt was read, though rows {first} to {last} look like options. The tests"
        " would hold now that this screen asks nothing: see clawtap detect --explain, and accept"
        " it again"
    )
    echo(paint(warning, "33"), err=True)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        rows = (row.get("label") if isinstance(row, dict) else row for row in value)
        return " | ".join(one_line(str(row)) for row in rows)
    return "" if value is None else one_line(str(value))


def _write_json(file: Path, facts: Mapping[str, Any]) -> None:
    text = json.dumps(facts, ensure_ascii=False, indent=1)
    file.with_suffix(".json").write_text(f"{text}\n", encoding="utf-8")


def pane_facts(line: str) -> dict[str, Any]:
    """Return the facts of a pane from the line that tmux printed."""
    values = line.rstrip("\n").split("\t", len(_FACTS) - 1)
    facts: dict[str, Any] = dict(zip(_FACTS, values, strict=True))
    facts.update({key: json.loads(facts[key]) for key in ("cols", "rows", "cursor")})
    facts.update({key: facts[key] == "1" for key in _FLAGS})
    facts["pane_title"] = title_of_cli(facts["pane_title"])
    return {key: value for key, value in facts.items() if value is not None}


def _tmux(socket: str | None, *argv: str) -> str:
    try:
        result = Server(socket_name=socket).cmd(*argv)
    except TmuxCommandNotFound as error:
        raise Unavailable("tmux is not installed", code=ErrorCode.TMUX_MISSING) from error
    if result.returncode:
        complaint = " ".join(result.stderr)
        if complaint.startswith(("no server running", "error connecting")):
            raise gone(f"{complaint}; name another one with --tmux-socket")
        raise NotFound(f"tmux: {complaint}", code=ErrorCode.PANE_NOT_FOUND)
    return "\n".join(result.stdout) + "\n"
