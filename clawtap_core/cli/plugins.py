"""The command plugins, which needs no server."""

from __future__ import annotations

import click

from clawtap_core.cli.output import as_json, dumped, one_line, paint, print_json, print_table
from clawtap_core.host import Host
from clawtap_core.model import PluginStatus

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


def installed_host() -> Host:
    """Return a host with the plugins that the settings allow."""
    from clawtap_core.config import load_settings

    settings = load_settings()
    return Host.installed(only=settings.load_plugins, blocked=settings.block_plugins)


def _row(status: PluginStatus, ansi: str) -> list[str]:
    package = " ".join(part for part in (status.distribution, status.version) if part)
    detail = one_line(status.error) if status.error else ", ".join(status.hooks)
    state = paint(status.status, _COLOURS.get(status.status, ""))
    return [status.name, state, paint(status.adapter or "", ansi), package, detail]
