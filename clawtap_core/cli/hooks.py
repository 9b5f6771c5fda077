"""The commands hooks install, uninstall and status, which need no server."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli import plugins
from clawtap_core.cli.connection import announced
from clawtap_core.cli.output import as_json, echo, paint, print_json, print_table
from clawtap_core.errors import BadRequest, ClawTapError, ErrorCode
from clawtap_core.host import Adapter, Host
from clawtap_core.journal.folder import make_private
from clawtap_core.model import HookConfig, HookEndpoint
from clawtap_core.system.processes import lives

if TYPE_CHECKING:
    from clawtap_core.cli_hooks.installer import HookStatus, Installer

Command = TypeVar("Command", bound=Callable[..., Any])
_COLOURS = {"installed": "32", "changed": "33"}
_adapter = click.option(
    "--adapter",
    "adapter_id",
    shell_complete=complete.adapters,
    help="Only the CLI of this adapter.",
)
_PATH = click.Path(path_type=Path)


def _data_folder(command: Command) -> Command:
    """Give a command the data folder that `serve` with the same flags would use."""

    @click.option("--data-dir", type=_PATH, help="The data folder of the server.")
    @click.option("--config", type=_PATH, help="The configuration file of the server.")
    @wraps(command)
    def with_folder(data_dir: Path | None, config: Path | None, **options: Any) -> Any:
        from clawtap_core.config import load_settings

        settings = load_settings({"data_dir": data_dir}, config_file=config)
        return command(folder=settings.data_dir, **options)

    return cast("Command", with_folder)


@click.group
def hooks() -> None:
    """Let CLIs report to ClawTap through their own hooks."""


@hooks.command
@_adapter
@_data_folder
@as_json
def install(folder: Path, adapter_id: str | None, as_json: bool) -> None:
    """Add ClawTap's hooks to the settings of the installed CLIs."""
    from clawtap_core.runtime.cli_versions import CliVersions

    installer, versions = _installer(folder), CliVersions(os.environ)
    adapters = _chosen(plugins.installed_host(), adapter_id)
    if adapter_id is None:
        adapters = [adapter for adapter in adapters if versions.installed(adapter.info)]
    if not adapters:
        raise BadRequest("no CLI with hooks is installed here; name one", code=ErrorCode.NO_HOOKS)
    # A data folder that `serve` would refuse is refused before anything is written to it.
    make_private(folder)

    def add_hooks(adapter: Adapter) -> HookStatus:
        config = hook_config(adapter, folder, versions.asked(adapter.info))
        if config is None:
            raise ClawTapError(adapter.health or "it has no hooks now", code=ErrorCode.NO_HOOKS)
        return installer.install(adapter.id, config)

    _apply({adapter.id: partial(add_hooks, adapter) for adapter in adapters}, folder, as_json)


@hooks.command
@_adapter
@_data_folder
@as_json
def uninstall(folder: Path, adapter_id: str | None, as_json: bool) -> None:
    """Remove ClawTap's hooks from the settings."""
    installer = _installer(folder)
    adapters = _chosen(plugins.installed_host(), adapter_id)
    changes = {adapter.id: partial(installer.uninstall, adapter.id) for adapter in adapters}
    _apply(changes, folder, as_json)


@hooks.command
@_adapter
@_data_folder
@as_json
def status(folder: Path, adapter_id: str | None, as_json: bool) -> None:
    """Show which CLIs have ClawTap's hooks, and in which settings files."""
    installer, host = _installer(folder), plugins.installed_host()
    states = [
        installer.status(adapter.id, hook_config(adapter, folder))
        for adapter in _chosen(host, adapter_id)
    ]
    _print(states, folder, as_json)


def _installer(folder: Path) -> Installer:
    from clawtap_core.cli_hooks.installer import Installer

    return Installer(folder, Path.home())


def _chosen(host: Host, adapter_id: str | None) -> list[Adapter]:
    if adapter_id is None:
        return [adapter for adapter in host.adapters if adapter.has("hook_config")]
    adapter = host.adapter(adapter_id)
    if not adapter.has("hook_config"):
        raise BadRequest(f"{adapter.info.name} has no hooks", code=ErrorCode.NO_HOOKS)
    return [adapter]


def hook_config(adapter: Adapter, folder: Path, version: str | None = None) -> HookConfig | None:
    """Return what the adapter adds to the settings of this version of its CLI; None if it fails.

    The version decides what goes in; where it goes is the same.
    """
    from clawtap_core.cli_hooks.bridge import bridge_path

    return adapter.hook_config(HookEndpoint(str(bridge_path(folder)), dict(os.environ), version))


def _apply(changes: Mapping[str, Callable[[], HookStatus]], folder: Path, as_json: bool) -> None:
    """Change the settings of each CLI and print them; what fails for one stops no other."""
    states, failures = [], {}
    for adapter_id, change in changes.items():
        try:
            states.append(change())
        except ClawTapError as error:
            failures[adapter_id] = error
    if states:
        _print(states, folder, as_json)
    if failures:
        message = "; ".join(f"{adapter}: {error.message}" for adapter, error in failures.items())
        first = next(iter(failures.values()))
        raise type(first)(message, code=first.code)


def _print(states: list[HookStatus], folder: Path, as_json: bool) -> None:
    server, pid = announced(folder)
    running = bool(server) and lives(pid)
    if as_json:
        rows = [
            {"adapter": hooked.adapter, "state": hooked.state, "files": list(hooked.files)}
            | ({"note": hooked.note} if hooked.note else {})
            for hooked in states
        ]
        print_json({"server": server if running else None, "hooks": rows})
        return
    print_table(
        ["ADAPTER", "HOOKS", "FILES"],
        [
            [
                hooked.adapter,
                paint(hooked.state, _COLOURS.get(hooked.state, "")),
                ", ".join(hooked.files),
            ]
            for hooked in states
        ],
    )
    for hooked in states:
        if hooked.note:
            echo(f"{hooked.adapter}: {hooked.note}")
    if not running and any(hooked.state == "installed" for hooked in states):
        echo(
            f"No server runs with the data folder {folder}; the hooks do nothing until"
            " `clawtap serve` starts with it."
        )
