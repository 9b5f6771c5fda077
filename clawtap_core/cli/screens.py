"""The commands detect and steps, which read recorded screens without a server."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.output import dumped, echo, one_line, print_line
from clawtap_core.errors import BadRequest, ErrorCode, Impossible
from clawtap_core.host import Adapter, Host
from clawtap_core.host.discovery import installed
from clawtap_core.model import PromptForm, Response, Screen, SeenState
from clawtap_core.testing import recordings

_adapter = click.option(
    "--adapter",
    "adapter_id",
    required=True,
    shell_complete=complete.adapters,
    help="The adapter that reads the screen.",
)
_cols = click.option("--cols", type=click.IntRange(1), help="The width of the pane.")
_title = click.option("--title", help="The title of the pane.")


@click.command
@_adapter
@_cols
@_title
@click.option("--explain", is_flag=True, help="Show which rows are what, or why nothing matched.")
@click.argument("files", nargs=-1)
def detect(
    adapter_id: str, cols: int | None, title: str | None, explain: bool, files: tuple[str, ...]
) -> None:
    """Read captured screens and print their prompt and state.

    Prints one JSON line for each, or with --explain the screen and what each row is read as.
    FILES hold the output of `tmux capture-pane -p`, with or without -e. NAME.json next to
    NAME.ansi may set cols, rows, cursor, cursor_visible, pane_title and alternate_screen. Without
    FILES, or for -, read standard input.
    """
    adapter = adapter_named(adapter_id)
    for name in files or ("-",):
        screen = read_screen(name, cols, title)
        form, seen = read_as(adapter, screen, name)
        if explain:
            _print_explanation(name, adapter, screen)
            continue
        wire = dumped([form])[0] if form else None
        state = seen.state.value if seen else None
        print_line({"file": name, "prompt": wire, "state": state})
    if adapter.health:
        raise _failed(adapter, "a screen without one of its rows")


def read_as(
    adapter: Adapter, screen: Screen, name: str
) -> tuple[PromptForm | None, SeenState | None]:
    """Return the prompt and the state that an adapter reads on the screen of this file."""
    form, seen = adapter.detect_prompt(screen), adapter.detect_state(screen, None)
    if adapter.health:
        raise _failed(adapter, name)
    return form, seen


def _failed(adapter: Adapter, on: str) -> Impossible:
    return Impossible(
        f"the adapter {adapter.id} failed on {on}: {adapter.health}", code=ErrorCode.HOOK_FAILED
    )


def _print_explanation(name: str, adapter: Adapter, screen: Screen) -> None:
    from clawtap_core.testing.explanation import explain
    from clawtap_core.testing.missed_prompt import why_no_prompt

    explanation = explain(adapter, screen)
    form, seen = explanation.form, explanation.seen
    asks = f"{form.kind.value} {one_line(form.title)!r}" if form else "no prompt"
    echo(f"{name}: {asks}, state {seen.state.value if seen else 'unknown'}")
    parts = {row: ", ".join(parts) for row, parts in explanation.parts.items()}
    width = max(map(len, parts.values()), default=0)
    for row, line in enumerate(screen.text.split("\n")):
        echo(f"{row + 1:>4}  {parts.get(row, ''):<{width}}  │ {line}".rstrip())
    for detail in _state_details(seen):
        echo(f"  {detail}")
    for reason in why_no_prompt(adapter, screen) if form is None else ():
        echo(f"  no prompt: {reason}")


def _state_details(seen: SeenState | None) -> Iterator[str]:
    if seen is None:
        yield "state: unknown; if it stays so, the user gets the screen and a key pad after 3 s"
        return
    holds = "the composer is empty"
    if seen.draft != "":
        holds = f"the composer holds {one_line(seen.draft)!r}" if seen.draft else "no composer"
    yield f"state: {seen.state.value}, {holds}"
    for name in ("mode", "model", "streaming", "thinking"):
        if value := getattr(seen, name):
            yield f"{name}: {one_line(value)}"


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
    return host_with(adapter_id).adapter(adapter_id)


def host_with(adapter_id: str) -> Host:
    """Return a host with the plugin of this adapter and no other."""
    logging.getLogger("clawtap_core.host").setLevel(logging.ERROR)
    entries = [entry for entry in installed() if entry.name == adapter_id]
    host = Host(entries)
    if adapter_id not in {adapter.id for adapter in host.adapters}:
        # The plugin may have another name than its adapter.
        every = Host.installed()
        names = {adapter.name for adapter in every.adapters if adapter.id == adapter_id}
        host = Host(entry for entry in installed() if entry.name in names) if names else every
    broken = [status for status in host.statuses() if status.name == adapter_id and status.error]
    if broken and adapter_id not in {adapter.id for adapter in host.adapters}:
        raise Impossible(
            f"the plugin {adapter_id} is {broken[0].status}: {broken[0].error}",
            code=ErrorCode.HOOK_FAILED,
        )
    return host


def read_screen(name: str, cols: int | None, title: str | None) -> Screen:
    """Return a captured screen; flags override the facts in its JSON file."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise BadRequest(
            f"{name} cannot be read: {error.strerror}", code=ErrorCode.NO_FILE
        ) from error
    facts = recordings.sidecar_facts(Path(name)) if name != "-" else {}
    flags = {"cols": cols, "pane_title": title}
    facts.update({key: value for key, value in flags.items() if value is not None})
    return recordings.read_screen(data.decode("utf-8", "replace").replace("\r\n", "\n"), facts)
