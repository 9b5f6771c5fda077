"""The commands service install, status and uninstall."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawtap_core.cli.connection import announced
from clawtap_core.cli.doctor import PROBLEM, check_data_folder, check_tmux
from clawtap_core.cli.output import as_json, echo, print_json
from clawtap_core.cli.serve import serve
from clawtap_core.config import load_settings
from clawtap_core.errors import ErrorCode, Unavailable, UsageError
from clawtap_core.system.own_program import own_program
from clawtap_core.system.processes import lives
from clawtap_core.system.service_manager import (
    OWN_NAME,
    Service,
    ServiceManager,
    service_manager,
)

if TYPE_CHECKING:
    from clawtap_core.config import Settings

START_SECONDS = 20.0
# CLIs are looked for on the PATH of the server, and write in the user's language; the user's tmux
# has its socket below TMUX_TMPDIR.
_COPIED = ("PATH", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TMUX_TMPDIR")
# Settings and data of ClawTap and of the CLIs are below these folders.
_FOLDERS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
# Half of a surrogate pair stands for a byte that is not UTF-8.
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_OF_CLIENTS = frozenset({"CLAWTAP_URL", "CLAWTAP_CLI_CACHE"})


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
    options = _serve_options(flags)
    environment = _environment(names)
    # The service does not have the other variables of this shell.
    settings = load_settings(
        {name: value for name, value in options.items() if name != "config"},
        environment,
        config_file=options["config"],
    )
    manager = _manager()
    _check_startable(settings, manager.process())
    for name in sorted(os.environ.keys() - environment.keys() - _OF_CLIENTS):
        if name.startswith("CLAWTAP_"):
            echo(
                f"warning: {name} does not reach the service; use a flag, config.toml or"
                f" --env {name}",
                err=True,
            )
    argv = (*own_program("clawtap_core.cli"), "serve", *_written(options))
    _check_text({"HOME": str(Path.home()), "this command": "".join(argv), **environment})
    _, before = announced(settings.data_dir)
    urls: list[str] = []
    manager.install(
        Service(OWN_NAME, "ClawTap", argv, Path.home(), environment),
        wait=lambda: urls.append(_wait_for_server(settings.data_dir, before, manager.log)),
    )
    how = manager.ends_at_logout()
    when = f"when you log in; {how}" if how else "with this machine"
    echo(f"ClawTap runs at {urls[0]} and starts {when}")


@service.command
@as_json
def status(as_json: bool) -> None:
    """Show whether the service runs; exit with 1 if it does not."""
    manager = _manager()
    installed = manager.file.exists()
    running = installed and manager.process() > 0
    if as_json:
        print_json({"installed": installed, "running": running, "file": str(manager.file)})
    elif running:
        echo(f"the service runs ({manager.file})")
        if how := manager.ends_at_logout():
            echo(f"it ends when you log out; {how}")
    elif installed and (problem := manager.unreachable()):
        echo(f"the service is installed, but its manager cannot be reached ({problem})")
    elif installed:
        echo(f"the service is installed but does not run; {manager.log} shows why")
    else:
        echo("no service is installed; `clawtap service install` installs one")
    sys.exit(0 if running else 1)


@service.command
def uninstall() -> None:
    """Stop and remove the service.

    Sessions, settings and the journal stay.
    """
    if _manager().uninstall():
        echo("the service was stopped and removed")
    else:
        echo("no service is installed")


def _manager() -> ServiceManager:
    return service_manager(OWN_NAME, Path.home(), os.environ)


def _serve_options(flags: tuple[str, ...]) -> dict[str, Any]:
    """Return the options that `clawtap serve` would get; raise for flags it does not take."""
    options = dict(serve.make_context("clawtap serve", list(flags)).params)
    if options["token"]:
        raise UsageError(
            "a token on the command line is visible to everybody; use --token-file",
            code=ErrorCode.BAD_SETTING,
        )
    # The folder that this is called in may be gone at the next boot.
    return {
        name: value.absolute() if isinstance(value, Path) else value
        for name, value in options.items()
    }


def _written(options: dict[str, Any]) -> list[str]:
    """Return options as they are written on a command line."""
    words = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif value is not None:
            for each in value if isinstance(value, tuple) else (value,):
                words += [flag, str(each)]
    return words


def _environment(names: tuple[str, ...]) -> dict[str, str]:
    if missing := [name for name in names if name not in os.environ]:
        raise UsageError(f"{missing[0]} is not set here", code=ErrorCode.BAD_SETTING)
    copied = (*_COPIED, *_FOLDERS, *names)
    return {name: os.environ[name] for name in copied if name in os.environ}


def _check_text(texts: dict[str, str]) -> None:
    """Raise UsageError for a text that the file of a service cannot hold."""
    for name, text in texts.items():
        if _UNWRITABLE.search(text):
            raise UsageError(
                f"{name} has control characters or is not UTF-8: {text[:100]!r}",
                code=ErrorCode.BAD_NAME,
            )


def _check_startable(settings: Settings, process: int) -> None:
    """Raise what the server would fail with; `process` is the service that it replaces."""
    from clawtap_core.server.listener import check_listens

    url, other = announced(settings.data_dir)
    if url and lives(other) and other != process:
        raise Unavailable(
            f"a server is already running at {url} (process {other}); stop it first",
            code=ErrorCode.DATA_DIR_IN_USE,
        )
    for finding in (check_tmux(), check_data_folder(settings.data_dir)):
        if finding.level == PROBLEM:
            raise Unavailable(f"{finding.text}; {finding.remedy}", code=ErrorCode.NO_SERVER)
    if not process:
        check_listens(settings)


def _wait_for_server(folder: Path, before: int, log: str) -> str:
    """Return the URL of the server once another process than `before` serves."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        url, process = announced(folder)
        if url and process != before and lives(process):
            return url
        time.sleep(0.05)
    raise Unavailable(
        f"the server did not start within {START_SECONDS:.0f} s, so nothing was changed;"
        f" {log} shows why",
        code=ErrorCode.NO_SERVER,
    )
