"""The commands detect and steps, which read recorded screens without a server."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import click

from clawtap_core.cli.output import dumped, print_line
from clawtap_core.errors import BadRequest, ErrorCode, Impossible
from clawtap_core.host import Adapter, Host
from clawtap_core.host.discovery import installed
from clawtap_core.model import Response, Screen

_adapter = click.option(
    "--adapter", "adapter_id", required=True, help="The adapter that reads the screen."
)
_cols = click.option("--cols", type=click.IntRange(1), help="The width of the pane.")
_title = click.option("--title", help="The title of the pane.")


@click.command
@_adapter
@_cols
@_title
@click.argument("files", nargs=-1)
def detect(adapter_id: str, cols: int | None, title: str | None, files: tuple[str, ...]) -> None:
    """Read captured screens and print their prompt and state.

    Prints one JSON line for each. FILES hold the output of `tmux capture-pane -p`, with or
    without -e. NAME.json next to NAME.ansi may set cols, rows, cursor,
    cursor_visible, pane_title and alternate_screen. Without FILES, or for -, read standard input.
    """
    adapter = adapter_named(adapter_id)
    for name in files or ("-",):
        screen = read_screen(name, cols, title)
        form, seen = adapter.detect_prompt(screen), adapter.detect_state(screen, None)
        wire = dumped([form])[0] if form else None
        state = seen.state.value if seen else None
        print_line({"file": name, "prompt": wire, "state": state})
    if adapter.health:
        raise Impossible(
            f"the adapter {adapter_id} failed: {adapter.health}", code=ErrorCode.HOOK_FAILED
        )


@click.command
@_adapter
@click.option("--option", help="The option to choose, by label or value.")
@click.option("--text", help="The text to enter.")
@_cols
@_title
@click.argument("file")
def steps(
    adapter_id: str,
    option: str | None,
    text: str | None,
    cols: int | None,
    title: str | None,
    file: str,
) -> None:
    """Print the first keys that would answer a captured prompt."""
    if option is None and text is None:
        raise click.UsageError("give --option or --text")
    from clawtap_core.prompts.validation import validate_response
    from clawtap_core.runtime.state.events import steps_json

    adapter, screen = adapter_named(adapter_id), read_screen(file, cols, title)
    form = adapter.detect_prompt(screen)
    if form is None:
        raise BadRequest(
            f"{file} shows no prompt that {adapter_id} recognises", code=ErrorCode.NO_PROMPT
        )
    response = validate_response(form, Response("", selected_option=option, text_value=text))
    answer = adapter.respond(form, response, screen, None)
    if answer is None:
        why = f": {adapter.health}" if adapter.health else ""
        raise Impossible(f"{adapter_id} cannot give this answer{why}", code=ErrorCode.CANNOT_ANSWER)
    print_line({"file": file, "steps": steps_json(answer.steps), "done": answer.done})


def adapter_named(adapter_id: str) -> Adapter:
    """Return an adapter, loading only its own plugin if that has the adapter's name."""
    logging.getLogger("clawtap_core.host").setLevel(logging.ERROR)
    entries = [entry for entry in installed() if entry.name == adapter_id]
    host = Host(entries)
    if adapter_id not in {adapter.id for adapter in host.adapters}:
        host = Host.installed()
    return host.adapter(adapter_id)


def read_screen(name: str, cols: int | None, title: str | None) -> Screen:
    """Return a captured screen; flags override the facts in its JSON file."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise BadRequest(
            f"{name} cannot be read: {error.strerror}", code=ErrorCode.NO_FILE
        ) from error
    facts = _sidecar_facts(Path(name)) if name != "-" else {}
    cursor = facts.get("cursor")
    return Screen.from_text(
        data.decode("utf-8", "replace").replace("\r\n", "\n"),
        cols=cols or facts.get("cols"),
        rows=facts.get("rows"),
        cursor=(cursor[0], cursor[1]) if cursor else None,
        cursor_visible=facts.get("cursor_visible"),
        title=title if title is not None else facts.get("pane_title"),
        alternate=facts.get("alternate_screen"),
    )


def _sidecar_facts(path: Path) -> dict[str, Any]:
    sidecar = path.with_suffix(".json")
    if path.suffix == ".json" or not sidecar.is_file():
        return {}
    try:
        facts = json.loads(sidecar.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadRequest(
            f"{sidecar} is not valid JSON: {error}", code=ErrorCode.BAD_RECORDING
        ) from error
    return facts if isinstance(facts, dict) else {}
