"""The commands service install, status and uninstall."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from clawtap_core.cli.connection import announced
from clawtap_core.cli.output import as_json, print_json
from clawtap_core.cli.serve import serve
from clawtap_core.config import load_settings
from clawtap_core.errors import ErrorCode, Unavailable, UsageError
from clawtap_core.system.own_program import own_program
from clawtap_core.system.processes import lives
from clawtap_core.system.service_manager import Service, ServiceManager, service_manager

NAME = "clawtap"
START_SECONDS = 20.0
# CLIs are looked for on the PATH of the server, and write in the user's language.
_COPIED = ("PATH", "SHELL", "LANG", "LC_ALL", "LC_CTYPE")


@click.group
def service() -> None:
    """Keep the server running, also after a logout and a reboot.

    systemd runs it on Linux, launchd on macOS, as your user.
    """


@service.command(context_settings={"ignore_unknown_options": True})
@click.option("--env", "names", multiple=True, help="Copy this environment variable; repeatable.")
@click.argument("flags", nargs=-1, type=click.UNPROCESSED)
def install(names: tuple[str, ...], flags: tuple[str, ...]) -> None:
    """Start the server now and after every boot.

    FLAGS are those of `clawtap serve`. Sessions keep running when it is stopped or updated. The
    CLIs see your PATH and language as they are now, and the variables that --env names, such as
    API keys.
    """
    folder = _data_folder(flags)
    if not str(Path.cwd()).isprintable():
        raise UsageError("the name of this folder has control characters", code=ErrorCode.BAD_NAME)
    manager = _manager()
    url, process = announced(folder)
    if url and lives(process) and not manager.running():
        raise Unavailable(
            f"a server is already running at {url} (process {process}); stop it first",
            code=ErrorCode.DATA_DIR_IN_USE,
        )
    argv = (*own_program("clawtap_core.cli"), "serve", *flags)
    if warning := manager.install(Service(NAME, "ClawTap", argv, Path.cwd(), _environment(names))):
        click.echo(f"warning: {warning}", err=True)
    url = _wait_for_server(folder, process)
    if not url:
        raise Unavailable(
            f"the service was installed, but the server did not start within {START_SECONDS:.0f} s;"
            f" {manager.log} shows why",
            code=ErrorCode.NO_SERVER,
        )
    click.echo(f"ClawTap runs at {url} and starts with this machine")


@service.command
@as_json
def status(as_json: bool) -> None:
    """Show whether the service runs; exit with 1 if it does not."""
    manager = _manager()
    installed = manager.file.exists()
    running = installed and manager.running()
    if as_json:
        print_json({"installed": installed, "running": running, "file": str(manager.file)})
    elif running:
        click.echo(f"the service runs ({manager.file})")
    elif installed:
        click.echo(f"the service is installed but does not run; {manager.log} shows why")
    else:
        click.echo("no service is installed; `clawtap service install` installs one")
    sys.exit(0 if running else 1)


@service.command
def uninstall() -> None:
    """Stop and remove the service.

    Sessions, settings and the journal stay.
    """
    if _manager().uninstall():
        click.echo("the service was stopped and removed")
    else:
        click.echo("no service is installed")


def _manager() -> ServiceManager:
    return service_manager(NAME, Path.home(), os.environ)


def _data_folder(flags: tuple[str, ...]) -> Path:
    """Return the data folder that `clawtap serve` would use; raise for flags it does not take."""
    options = dict(serve.make_context("clawtap serve", list(flags)).params)
    if options["token"]:
        raise UsageError(
            "a token on the command line is visible to everybody; use --token-file",
            code=ErrorCode.BAD_SETTING,
        )
    config = options.pop("config")
    # The service does not have the variables of this shell.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CLAWTAP_")}
    return load_settings(options, environ, config_file=config).data_dir


def _environment(names: tuple[str, ...]) -> dict[str, str]:
    if missing := [name for name in names if name not in os.environ]:
        raise UsageError(f"{missing[0]} is not set here", code=ErrorCode.BAD_SETTING)
    return {name: os.environ[name] for name in (*_COPIED, *names) if name in os.environ}


def _wait_for_server(folder: Path, before: int) -> str:
    """Return the URL of the server once another process than `before` serves, or ""."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        url, process = announced(folder)
        if url and process != before and lives(process):
            return url
        time.sleep(0.05)
    return ""
