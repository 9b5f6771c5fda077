"""The commands serve and demo; nothing heavy is imported before gevent patches."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clawtap_core.cli.connection import (
    Connect,
    Where,
    announced,
    connect,
    http,
    running_url,
)
from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.host.discovery import installed
from clawtap_core.model import LaunchRequest, Session
from clawtap_core.system.own_program import own_program
from clawtap_core.system.processes import lives

if TYPE_CHECKING:
    from clawtap_core.config import Settings

Command = TypeVar("Command", bound=Callable[..., Any])
START_SECONDS = 30.0
_PATH = click.Path(path_type=Path)
_WEB_OPTIONS = (
    click.option("--host", help="The address to listen on [127.0.0.1]."),
    click.option("--port", type=int, help="The port to listen on [3456]; 0 picks a free one."),
    click.option(
        "--data-dir", type=_PATH, help="The folder for the journal, the token and the devices."
    ),
    click.option("--token", help="The token; visible in ps, so only for tests."),
    click.option("--token-file", type=_PATH, help="A file with the token."),
    click.option("--tls-cert", type=_PATH, help="A certificate, to serve HTTPS."),
    click.option("--tls-key", type=_PATH, help="The key of the certificate."),
    click.option("--allowed-host", multiple=True, help="A host name of this server; repeatable."),
    click.option(
        "--insecure",
        is_flag=True,
        default=None,
        help="Allow other machines to connect without TLS.",
    ),
)
_MACHINE_OPTIONS = (
    click.option(
        "--lan",
        is_flag=True,
        default=None,
        help="Let phones in the same network connect, over HTTPS with a certificate made here.",
    ),
    click.option("--tmux-socket", help="The socket name of another tmux server (tmux -L)."),
    click.option(
        "--trust-folders",
        type=click.Choice(["ask", "always"]),
        help="Whether to ask before a CLI trusts a new folder, or always trust it.",
    ),
    click.option(
        "--interaction-timeout",
        type=float,
        help="Deny prompts that have no terminal after this many seconds (0: never) [600].",
    ),
)
_FLEET_OPTIONS = (
    click.option("--redis-url", help="The Redis of the fleet, such as redis://host:6379."),
    click.option("--fleet-key-file", type=_PATH, help="A fleet key outside the data folder."),
    click.option("--machine-name", help="This machine's name in the fleet [its host name]."),
    click.option("--log-level", help="debug, info, warning or error [info]."),
    click.option("--config", type=_PATH, help="The configuration file to read."),
)


def serving_options(command: Command) -> Command:
    """Add the flags of `serve`, each of which is also a setting."""
    return with_options(command, (*_WEB_OPTIONS, *_MACHINE_OPTIONS, *_FLEET_OPTIONS))


def hub_options(command: Command) -> Command:
    """Add those flags of `serve` that need no CLI and no tmux."""
    return with_options(command, (*_WEB_OPTIONS, *_FLEET_OPTIONS))


def with_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """Add options, the first one first in the help."""
    for option in reversed(options):
        command = option(command)
    return command


@click.command
@serving_options
def serve(config: Path | None, **flags: Any) -> None:
    """Start the server and print its URL.

    Every flag is also an environment variable (CLAWTAP_*) and a key of config.toml.
    """
    sys.exit(_run(serving_settings(config, flags)))


@click.command
@serving_options
@click.option("--url", envvar="CLAWTAP_URL", help="The URL of a running server.")
@click.option("--join", type=int, hidden=True)
def demo(config: Path | None, url: str | None, join: int | None, **flags: Any) -> None:
    """Try ClawTap with a scripted agent.

    It needs no account and no network. Use the running server, or start one first.
    """
    if not any(entry.name == "demo" for entry in installed()):
        raise Unavailable(
            "the demo agent is not installed; run `clawtap install demo`",
            code=ErrorCode.NO_DEMO,
        )
    settings = serving_settings(config, flags)
    if join is not None:
        _join(settings, join)
        return
    try:
        where = url or running_url(settings.data_dir)
    except Unavailable:
        _spawn_helper(settings)
        sys.exit(_run(settings))
    session = _start_demo(settings, where, click.get_current_context().obj or http)
    click.echo(f"started the demo session {session.id}; open {where}")


def serving_settings(config: Path | None, flags: dict[str, Any]) -> Settings:
    """Return the settings of these flags, the environment and the configuration file."""
    from clawtap_core.config import load_settings

    return load_settings(flags, config_file=config)


def _run(settings: Settings) -> int:
    from clawtap_core.server.entry import run

    return run(settings)


def _start_demo(settings: Settings, url: str, make: Connect) -> Session:
    where = Where(url, settings.token_file, settings.data_dir, settings.tls_cert)
    return connect(where, make).start(LaunchRequest("demo", str(Path.cwd())))


def _spawn_helper(settings: Settings) -> None:
    # The helper starts the demo session once this process serves. It cannot be a thread, since
    # this process has to patch the standard library before anything else is imported.
    paths = {"data_dir": settings.data_dir, "token_file": settings.token_file}
    flags = [
        part
        for name, value in paths.items()
        if value
        for part in (f"--{name.replace('_', '-')}", str(value))
    ]
    argv = [*own_program("clawtap_core.cli"), "demo", "--join", str(os.getpid()), *flags]
    token = {"CLAWTAP_TOKEN": settings.token} if settings.token else {}
    subprocess.run(argv, env={**os.environ, **token}, stdin=subprocess.DEVNULL, check=True)


def _join(settings: Settings, server: int) -> None:
    """Wait in the helper for the server with this process id, then start the demo session."""
    if os.fork():
        return
    end = time.monotonic() + START_SECONDS
    while announced(settings.data_dir)[1] != server:
        if time.monotonic() > end or not lives(server):
            return
        time.sleep(0.1)
    _start_demo(settings, running_url(settings.data_dir), http)
