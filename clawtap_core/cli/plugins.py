"""The command plugins, which needs no server."""

from __future__ import annotations

from collections.abc import Iterator

import click

from clawtap_core.cli.output import (
    as_json,
    dumped,
    echo,
    one_line,
    paint,
    print_json,
    print_table,
)
from clawtap_core.host import Host
from clawtap_core.model import PluginStatus
from clawtap_core.words import unread_files

_COLOURS = {"loaded": "32", "broken": "31", "missing": "31", "blocked": "33"}


@click.command
@as_json
def plugins(as_json: bool) -> None:
    """Show every plugin: loaded, broken, missing or blocked."""
    host = installed_host()
    if as_json:
        print_json(dumped(host.statuses()))
        return
    colours = {adapter.id: adapter.info.brand.ansi for adapter in host.adapters}
    rows = [_row(status, colours.get(status.adapter or "", "")) for status in host.statuses()]
    print_table(["PLUGIN", "STATUS", "ADAPTER", "PACKAGE", "HOOKS"], rows)
    for status in host.statuses():
        for line in _user_lines(status):
            echo(line)
    for file in unread_files():
        echo(paint(f"{one_line(str(file), 500)}: no installed adapter reads this file", "33"))


def installed_host() -> Host:
    """Return a host with the plugins that the settings allow."""
    from clawtap_core.config import load_settings

    settings = load_settings()
    return Host.installed(only=settings.load_plugins, blocked=settings.block_plugins)


def _user_lines(status: PluginStatus) -> Iterator[str]:
    """Yield what the user's own file adds to an adapter, and what of it was left out."""
    if status.user_rules:
        yield f"{status.name}: your rules: {', '.join(map(one_line, status.user_rules))}"
    for problem in status.user_errors:
        yield paint(f"{status.name}: left out: {one_line(problem, 500)}", "33")


def _row(status: PluginStatus, ansi: str) -> list[str]:
    package = " ".join(part for part in (status.distribution, status.version) if part)
    detail = one_line(status.error) if status.error else ", ".join(status.hooks)
    state = paint(status.status, _COLOURS.get(status.status, ""))
    return [status.name, state, paint(status.adapter or "", ansi), package, detail]
