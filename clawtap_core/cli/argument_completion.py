"""Complete ids and names on the command line, with what the server or the environment has now."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from clawtap_core.cli.connection import Where, connect, http
from clawtap_core.cli.lookup import session_named, short_ids
from clawtap_core.cli.output import one_line
from clawtap_core.cli.plugin_sources import plugins_with
from clawtap_core.commands import headline
from clawtap_core.transport import Transport

# A shell that completes waits for it.
PATIENCE = 2.0
Choices = Iterable[tuple[str, str]]


def sessions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the ids of sessions, as short as `clawtap ls` shows them."""

    def choices(server: Transport) -> Iterator[tuple[str, str]]:
        found = server.sessions()
        short = short_ids([session.id for session in found])
        for session in found:
            typed_more = len(incomplete) > len(short[session.id])
            yield session.id if typed_more else short[session.id], session.title

    return _ask(ctx, choices, incomplete)


def prompts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the ids of open prompts."""

    def choices(server: Transport) -> Choices:
        return [(prompt.request_id, headline(prompt)) for prompt in server.pending()]

    return _ask(ctx, choices, incomplete)


def panes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the panes that can be adopted."""

    def choices(server: Transport) -> Choices:
        machine = ctx.params.get("machine")
        there = server.at(machine) if machine else server
        return [
            (pane.pane, f"{pane.command} in {pane.cwd}")
            for pane in there.panes()
            if not pane.session_id
        ]

    return _ask(ctx, choices, incomplete)


def modes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the modes, or for a parameter `model` the models, of the session that is named."""

    def choices(server: Transport) -> Iterator[tuple[str, str]]:
        adapter = session_named(server, ctx.params["session"]).adapter
        info = next(each.info for each in server.adapters() if each.info.id == adapter)
        for choice in info.models if param.name == "model" else info.permission_modes:
            yield choice.id, choice.label

    return _ask(ctx, choices, incomplete)


def adapters(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the adapters that are installed here."""
    return _items(((entry.name, "") for entry in plugins_with("adapter_info")), incomplete)


def _ask(
    ctx: click.Context, choices: Callable[[Transport], Choices], incomplete: str
) -> list[CompletionItem]:
    """Ask the server; none that answers in time has nothing to complete."""
    items: list[CompletionItem] = []

    def ask() -> None:
        # The user is typing: an error would be printed into the command line.
        with suppress(Exception):
            options = (ctx.params.get(name) for name in Where._fields)
            server = connect(Where(*options), ctx.find_root().obj or http)
            items.extend(_items(choices(server), incomplete))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return items


def _items(choices: Choices, incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(word, help=one_line(words, 60) or None)
        for word, words in choices
        if word.startswith(incomplete)
    ]
