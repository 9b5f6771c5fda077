"""The hooks of the CLIs: put into their settings, taken out, looked at. No server is needed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clawtap_core.cli import plugins
from clawtap_core.cli.connection import announced, lives
from clawtap_core.cli.output import as_json, paint, print_json, print_table
from clawtap_core.errors import BadRequest, ClawTapError, ErrorCode
from clawtap_core.host import Adapter, Host
from clawtap_core.journal.folder import make_private
from clawtap_core.model import HookConfig, HookEndpoint

if TYPE_CHECKING:
    from clawtap_core.cli_hooks.installer import Hooked, Installer

_COLOURS = {"installed": "32", "changed": "33"}
_adapter = click.option("--adapter", "adapter_id", help="Only the CLI of this adapter.")
_data_dir = click.option(
    "--data-dir", type=click.Path(path_type=Path), help="The data folder of the server."
)


@click.group
def hooks() -> None:
    """Let CLIs report to ClawTap through their own hooks."""


@hooks.command
@_adapter
@_data_dir
@as_json
def install(adapter_id: str | None, data_dir: Path | None, as_json: bool) -> None:
    """Add ClawTap's hooks to the settings of the installed CLIs."""
    folder = _folder(data_dir)
    installer, host = _installer(folder), plugins.installed_host()
    wanted = [
        (adapter, config)
        for adapter in _chosen(host, adapter_id)
        if (config := _config(adapter, folder, asked=adapter_id is not None))
    ]
    if not wanted:
        raise BadRequest("no CLI with hooks is installed here; name one", code=ErrorCode.NO_HOOKS)
    # What `serve` would refuse as its data folder is refused here, before anything is in it.
    make_private(folder)
    _tell([installer.install(adapter.id, config) for adapter, config in wanted], folder, as_json)


@hooks.command
@_adapter
@_data_dir
@as_json
def uninstall(adapter_id: str | None, data_dir: Path | None, as_json: bool) -> None:
    """Remove ClawTap's hooks from the settings."""
    folder = _folder(data_dir)
    installer = _installer(folder)
    found = [installer.uninstall(name) for name in _names(adapter_id)]
    _tell(found, folder, as_json)


@hooks.command
@_adapter
@_data_dir
@as_json
def status(adapter_id: str | None, data_dir: Path | None, as_json: bool) -> None:
    """Show which CLIs have ClawTap's hooks, and in which settings files."""
    folder = _folder(data_dir)
    installer = _installer(folder)
    _tell([installer.status(name) for name in _names(adapter_id)], folder, as_json)


def _folder(data_dir: Path | None) -> Path:
    from clawtap_core.config import load_settings

    return load_settings({"data_dir": data_dir}).data_dir


def _installer(folder: Path) -> Installer:
    from clawtap_core.cli_hooks.installer import Installer

    return Installer(folder, Path.home())


def _names(adapter_id: str | None) -> list[str]:
    return [adapter.id for adapter in _chosen(plugins.installed_host(), adapter_id)]


def _chosen(host: Host, adapter_id: str | None) -> list[Adapter]:
    """The adapters whose CLIs have hooks, or the one that was named."""
    if adapter_id is None:
        return [adapter for adapter in host.adapters if adapter.has("hook_config")]
    adapter = host.adapter(adapter_id)
    if not adapter.has("hook_config"):
        raise BadRequest(f"{adapter.info.name} has no hooks", code=ErrorCode.NO_HOOKS)
    return [adapter]


def _config(adapter: Adapter, folder: Path, *, asked: bool) -> HookConfig | None:
    """What goes into this CLI's settings; None where nobody asked, and it is not here."""
    from clawtap_core.cli_hooks.bridge import bridge_path
    from clawtap_core.runtime.cli_versions import CliVersions

    versions = CliVersions(os.environ)
    if not asked and versions.installed(adapter.info) is None:
        return None
    endpoint = HookEndpoint(
        str(bridge_path(folder)), dict(os.environ), versions.asked(adapter.info)
    )
    config = adapter.hook_config(endpoint)
    if config is None:
        raise ClawTapError(
            f"{adapter.info.name}: {adapter.health or 'no hooks'}", code=ErrorCode.NO_HOOKS
        )
    return config


def _tell(found: list[Hooked], folder: Path, as_json: bool) -> None:
    server, pid = announced(folder)
    running = bool(server) and lives(pid)
    if as_json:
        told = [
            {"adapter": each.adapter, "state": each.state, "files": list(each.files)}
            | ({"note": each.note} if each.note else {})
            for each in found
        ]
        print_json({"server": server if running else None, "hooks": told})
        return
    rows = [
        [each.adapter, paint(each.state, _COLOURS.get(each.state, "")), ", ".join(each.files)]
        for each in found
    ]
    print_table(["ADAPTER", "HOOKS", "FILES"], rows)
    for each in found:
        if each.note:
            click.echo(f"{each.adapter}: {each.note}")
    if not running and any(each.state == "installed" for each in found):
        click.echo("No server is running; the hooks do nothing until `clawtap serve` starts.")
