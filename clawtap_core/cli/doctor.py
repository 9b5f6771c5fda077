"""The command doctor, which checks what ClawTap needs here and says how to get what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import announced
from clawtap_core.cli.live_check import (
    exit_status,
    installed_clis,
    live_options,
    report_json,
    run_live,
)
from clawtap_core.cli.output import as_json, echo, one_line, paint, print_json
from clawtap_core.errors import ClawTapError
from clawtap_core.host import Adapter, Host
from clawtap_core.system.processes import lives
from clawtap_core.system.service_manager import OWN_NAME, service_manager
from clawtap_core.system.tailscale import find_tailscale

if TYPE_CHECKING:
    from clawtap_core.config import Settings

OK, WARNING, PROBLEM = "ok", "warning", "problem"
_COLOURS = {OK: "32", WARNING: "33", PROBLEM: "31"}
_LEAST_SPACE = 100 * 1024 * 1024
_PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found, and what to do about it."""

    check: str
    level: str
    text: str
    remedy: str = ""


@click.command
@click.argument("cli", required=False, shell_complete=complete.adapters)
@click.option("--live", is_flag=True, help="Try the installed CLIs, or CLI, with a scripted model.")
@live_options
@click.option("--data-dir", type=_PATH, help="The data folder of the server.")
@click.option("--config", type=_PATH, help="The configuration file to read.")
@as_json
def doctor(
    cli: str | None,
    live: bool,
    program: str | None,
    screens: Path,
    timeout: float,
    data_dir: Path | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Check what ClawTap needs here, and say what to do.

    Exits with 1 if ClawTap cannot work. Changes nothing and starts no CLI, except to print its
    version.

    With --live, start CLI (default: each one installed) in a temporary HOME, have a scripted model
    on this machine make it ask, and check that ClawTap reads and answers it. Needs no account and
    uses none of your settings. Exits with 1 if a step failed, with 124 if only time ran out.
    """
    if live:
        _check_live(cli, program, screens, timeout, as_json)
    if cli or program:
        raise click.UsageError("naming a CLI or --program needs --live")
    findings = list(_findings(data_dir, config))
    failed = any(finding.level == PROBLEM for finding in findings)
    if as_json:
        print_json({"ok": not failed, "findings": [asdict(finding) for finding in findings]})
    else:
        width = max(len(finding.check) for finding in findings)
        for finding in findings:
            level = paint(f"{finding.level:<7}", _COLOURS[finding.level])
            echo(f"{level}  {finding.check:<{width}}  {finding.text}")
            if finding.remedy:
                echo(f"{'':<{width + 9}}  -> {finding.remedy}")
    sys.exit(1 if failed else 0)


def _check_live(
    cli: str | None, program: str | None, screens: Path, seconds: float, as_json: bool
) -> NoReturn:
    if program and not cli:
        raise click.UsageError("--program needs CLI, the adapter that reads it")
    clis = [cli] if cli else installed_clis()
    reports = [run_live(each, program, screens, seconds, quiet=as_json) for each in clis]
    status = exit_status(reports)
    if as_json:
        wire = [report_json(report, seconds) for report in reports]
        print_json({"ok": status == 0, "clis": wire})
    sys.exit(status)


def _findings(data_dir: Path | None, config: Path | None) -> Iterator[Finding]:
    from clawtap_core.config import load_settings

    yield Finding("python", OK, f"Python {platform.python_version()}")
    yield check_tmux()
    try:
        settings = load_settings({"data_dir": data_dir}, config_file=config)
    except ClawTapError as error:
        yield Finding("settings", PROBLEM, error.message, "correct it, then try again")
        return
    yield check_data_folder(settings.data_dir)
    yield check_port(settings)
    yield from check_service()
    try:
        host = Host.installed(only=settings.load_plugins, blocked=settings.block_plugins)
    except ClawTapError as error:
        yield Finding("plugins", PROBLEM, error.message, "name installed plugins only")
        return
    yield from check_plugins(host)
    yield from check_clis(host, settings.data_dir)
    yield check_push(settings.data_dir)
    yield from check_fleet(settings)
    yield check_phone(settings)


def check_tmux() -> Finding:
    """Check that tmux is installed and new enough."""
    from clawtap_core.terminal.version import installed_version

    try:
        return Finding("tmux", OK, installed_version())
    except ClawTapError as error:
        remedy = "install tmux 3.2 or newer with your package manager"
        return Finding("tmux", PROBLEM, error.message.partition(";")[0], remedy)


def check_data_folder(folder: Path) -> Finding:
    """Check that the data folder is private, can be written and has space, without changing it."""
    from clawtap_core.journal.folder import check_ours

    remedy = "choose another folder with --data-dir"
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        return Finding("data folder", PROBLEM, f"{folder} cannot be written", remedy)
    if nearest == folder:
        try:
            check_ours(folder)
        except ClawTapError as error:
            return Finding("data folder", PROBLEM, error.message.partition(":")[0], remedy)
    disk = shutil.disk_usage(nearest)
    if not disk.total:
        # Root may write anywhere, but /proc and /sys hold no files of ours.
        return Finding("data folder", PROBLEM, f"{folder} cannot be written", remedy)
    if disk.free < _LEAST_SPACE:
        text = f"{folder} has only {disk.free // 1024 // 1024} MB left"
        return Finding("data folder", WARNING, text, f"free some space, or {remedy}")
    exists = "" if nearest == folder else " (`clawtap serve` creates it)"
    return Finding("data folder", OK, f"{folder}{exists}")


def check_port(settings: Settings) -> Finding:
    """Check that the server runs, or could listen."""
    from clawtap_core.server.listener import check_listens

    url, pid = running_server(settings)
    if url:
        return Finding("server", OK, f"runs at {url} (process {pid})")
    try:
        check_listens(settings)
    except ClawTapError as error:
        return _to_finding("server", PROBLEM, error)
    where = f"{settings.host}:{settings.port}"
    return Finding("server", WARNING, f"does not run; {where} is free", "`clawtap serve`")


def running_server(settings: Settings) -> tuple[str, int]:
    """Return the URL and process id of the server that runs; "" and 0 without one."""
    url, pid = announced(settings.data_dir)
    return (url, pid) if url and lives(pid) else ("", 0)


def check_service() -> Iterator[Finding]:
    """Check the service, where one is installed: that it runs, also without a login."""
    manager = service_manager(OWN_NAME, Path.home(), os.environ)
    if not manager.file.exists():
        return
    if not manager.process():
        yield Finding("service", WARNING, "does not run", f"{manager.log} shows why")
    elif how := manager.ends_at_logout():
        yield Finding("service", WARNING, "runs, and ends when you log out", how)
    else:
        yield Finding("service", OK, "runs, and starts with this machine")


def check_plugins(host: Host) -> Iterator[Finding]:
    """Check that every plugin was loaded."""
    for status in host.statuses():
        if status.status in ("broken", "missing"):
            text = f"{status.name} is {status.status}: {one_line(status.error or '')}"
            package = status.distribution or f"clawtap-{status.name}"
            # It may need another ClawTap, which this command brings along.
            command = "clawtap" if package.startswith("clawtap-") else "pip"
            yield Finding("plugins", PROBLEM, text, f"`{command} install --upgrade {package}`")


def check_clis(host: Host, data_dir: Path) -> Iterator[Finding]:
    """Check each CLI: whether it is installed, in which version, and whether its hooks are."""
    from clawtap_core.runtime.cli_versions import CliVersions

    versions = CliVersions(os.environ)
    present = [adapter for adapter in host.adapters if versions.installed(adapter.info)]
    for adapter in host.adapters:
        if adapter in present:
            yield check_version(adapter, versions.asked(adapter.info))
            if adapter.has("hook_config"):
                yield check_hooks(adapter, data_dir)
    if not any(adapter.id != "demo" for adapter in present):
        infos = [adapter.info for adapter in host.adapters if adapter.id != "demo"]
        known = [info.name for info in infos if info.commands]
        text = f"none is installed that ClawTap knows ({', '.join(known) or 'no adapter'})"
        yield Finding("CLIs", WARNING, text, "install one, or try `clawtap demo`")


def check_version(adapter: Adapter, version: str | None) -> Finding:
    """Check that the adapter was proved on this version or a newer one."""
    info = adapter.info
    if not info.proved_versions or version is None:
        return Finding(adapter.id, OK, f"{info.name} {version or 'of unknown version'}")
    proved = ", ".join(info.proved_versions)
    age = info.version_age(version)
    if age is None:
        return Finding(adapter.id, OK, f"{info.name} {version} (proved on {proved})")
    text = f"{info.name} {version} is {age} than what was proved ({proved})"
    if adapter.has("live_check"):
        return Finding(adapter.id, WARNING, text, f"`clawtap doctor --live {adapter.id}`")
    remedy = (
        "try a prompt before you rely on it; one that is not recognised is shown with its screen"
        " and a key pad"
    )
    return Finding(adapter.id, WARNING, text, remedy)


def check_hooks(adapter: Adapter, data_dir: Path) -> Finding:
    """Check that the CLI's settings hold the hooks of this data folder."""
    from clawtap_core.cli.hooks import hook_config
    from clawtap_core.cli_hooks.installer import Installer

    remedy = f"`clawtap hooks install --adapter {adapter.id}`"
    try:
        config = hook_config(adapter, data_dir)
        hooked = Installer(data_dir, Path.home()).status(adapter.id, config)
    except ClawTapError as error:
        return Finding("hooks", WARNING, f"{adapter.info.name}: {error.message}", remedy)
    also = f"; {hooked.note}" if hooked.note else ""
    if hooked.state == "installed":
        return Finding("hooks", OK, f"{adapter.info.name} reports by its hooks{also}")
    missing = {"absent": "has no hooks of this ClawTap", "changed": "has lost some of its hooks"}
    return Finding("hooks", WARNING, f"{adapter.info.name} {missing[hooked.state]}{also}", remedy)


def check_push(data_dir: Path) -> Finding:
    """Check that browsers can be notified."""
    from clawtap_core.server.push_key import push_installed, push_key_file, read_push_key

    if not push_installed():
        text = "notifications of browsers need another package"
        return Finding("push", WARNING, text, "`pip install 'clawtap[push]'`")
    key = push_key_file(data_dir)
    try:
        if key.exists():
            read_push_key(key)
    except ClawTapError as error:
        return _to_finding("push", WARNING, error)
    return Finding("push", OK, "browsers can be notified")


def check_fleet(settings: Settings) -> Iterator[Finding]:
    """Check the fleet key and the Redis of a machine that is in a fleet."""
    if not settings.in_fleet:
        return
    from clawtap_core.fleet.key_file import read_key
    from clawtap_core.fleet.redis_client import check_known, connect

    try:
        key = read_key(settings)
        client = connect(key.redis_url)
    except ClawTapError as error:
        # `clawtap serve` refuses to start then.
        yield _to_finding("redis", PROBLEM, error)
        return
    try:
        check_known(client, key)
    except ClawTapError as error:
        # Without its fleet a machine works alone.
        yield _to_finding("redis", WARNING, error)
        return
    yield Finding("redis", OK, f"{key.address} carries the fleet {key.fleet}")


def _to_finding(check: str, level: str, error: ClawTapError) -> Finding:
    """Return an error as a finding: what was found before the semicolon, what to do behind it."""
    problem, _, remedy = error.message.partition("; ")
    return Finding(check, level, problem, remedy or "correct it, then try again")


def check_phone(settings: Settings) -> Finding:
    """Check how a phone can reach this machine."""
    from clawtap_core.server.phone import PhoneAccess

    # It may have another port than the settings say, such as that of a flag.
    port = urlsplit(running_server(settings)[0]).port
    settings = replace(settings, port=port or settings.port)
    tailscale = find_tailscale(settings.port)
    if settings.lan:
        return Finding("phone", OK, "reaches this machine in the same network (--lan)")
    address = PhoneAccess(settings, ask=lambda port: tailscale).address()
    if address.url:
        return Finding("phone", OK, f"reaches this machine at {address.url}")
    state = "not running" if tailscale.installed else "not installed"
    text = f"Tailscale runs here as {tailscale.name}" if tailscale.name else f"Tailscale is {state}"
    return Finding("phone", WARNING, f"{text}; only this machine reaches the page", address.advice)
