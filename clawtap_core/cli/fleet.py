"""The commands fleet create, join, ls, rekey and leave."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from clawtap_core.cli.connection import announced, with_server
from clawtap_core.cli.output import (
    as_json,
    dumped,
    echo,
    local_time,
    one_line,
    print_json,
    print_table,
)
from clawtap_core.config import load_settings
from clawtap_core.errors import ClawTapError, ErrorCode, UsageError
from clawtap_core.model import MachineStatus
from clawtap_core.system.processes import lives
from clawtap_core.transport import Transport

if TYPE_CHECKING:
    from clawtap_core.config import Settings
    from clawtap_core.fleet.key_file import FleetKey

Command = TypeVar("Command", bound=Callable[..., Any])
_PATH = click.Path(path_type=Path)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_redis = click.option(
    *("--redis", "--redis-url", "redis_url"),
    help="The address of Redis, such as rediss://:PASSWORD@HOST:6379.",
)


def _with_settings(command: Command) -> Command:
    """Add the options that find the settings, as `serve` does."""
    command = click.option("--config", type=_PATH, help="The configuration file to read.")(command)
    return click.option("--data-dir", type=_PATH, help="The data folder of this machine.")(command)


@click.group
def fleet() -> None:
    """Show the sessions of several machines in one list, over a Redis."""


@fleet.command
@_redis
@_with_settings
def create(redis_url: str | None, data_dir: Path | None, config: Path | None) -> None:
    """Make a fleet with this machine in it, and print how others join.

    Anyone with the printed line can read and answer the prompts of all machines.
    """
    from clawtap_core.fleet.key_file import FleetKey

    settings = _settings(redis_url, data_dir, config)
    key = FleetKey.new(settings.redis_url or "")
    _join(settings, key)
    line = shlex.join(["clawtap", "fleet", "join", "--redis", key.redis_url, key.text])
    echo(f"made the fleet {key.fleet}; on each other machine run:\n{line}")
    if not _reaches_others(key.redis_url):
        echo(f"{key.address} is reached from this machine only: put another address after --redis")
    if sys.stdout.isatty():
        import segno

        segno.make(line, error="l").terminal(out=sys.stdout, compact=True, border=2)
    _say_restart(settings)


@fleet.command
@click.argument("key")
@_redis
@_with_settings
def join(key: str, redis_url: str | None, data_dir: Path | None, config: Path | None) -> None:
    """Join the fleet of KEY (-: read it from standard input, so that no history keeps it)."""
    from clawtap_core.fleet.key_file import FleetKey

    settings = _settings(redis_url, data_dir, config)
    text = sys.stdin.readline() if key == "-" else key
    fleet_key = FleetKey.parse(text, settings.redis_url or "")
    exists = _join(settings, fleet_key)
    echo(f"this machine is in the fleet {fleet_key.fleet}")
    if not exists:
        echo(
            f"the Redis at {fleet_key.address} has nothing of this fleet yet; if its other machines"
            " are online, they use another Redis: leave, and join with that"
        )
    _say_restart(settings)


@fleet.command
@_with_settings
def leave(data_dir: Path | None, config: Path | None) -> None:
    """Take this machine out of its fleet, and what Redis has of it out of Redis."""
    from clawtap_core.fleet.key_file import kept_machine_id, read_key
    from clawtap_core.fleet.redis_client import connect
    from clawtap_core.fleet.service import forget_machine

    settings = load_settings({"data_dir": data_dir}, config_file=config)
    if not settings.in_fleet:
        raise UsageError("this machine is in no fleet", code=ErrorCode.NO_FLEET)
    key = read_key(settings)
    # Remove the key first: a running server stops publishing once it is gone.
    try:
        settings.fleet_key.unlink()
    except OSError as error:
        raise UsageError(
            f"{settings.fleet_key} cannot be removed ({error.strerror or error})",
            code=ErrorCode.DATA_DIR_NOT_WRITABLE,
        ) from error
    echo(f"this machine left the fleet {key.fleet}")
    try:
        forget_machine(connect(key.redis_url), key, kept_machine_id(settings.data_dir))
    except ClawTapError as error:
        echo(f"what Redis has of it stays there, sealed: {error.message}", err=True)


@fleet.command
@click.option(
    "--without", multiple=True, metavar="MACHINE", help="Leave out this machine; repeatable."
)
@click.option("--by-hand", is_flag=True, help="Send the key to no machine; only print it.")
@_with_settings
def rekey(
    without: tuple[str, ...], by_hand: bool, data_dir: Path | None, config: Path | None
) -> None:
    """Give the fleet a new key, because a machine is gone or the old key is known to others.

    The machines that are online get it by themselves. With only the old key, as on an excluded
    machine, nobody can see or do anything in the fleet.
    """
    from clawtap_core.fleet import rekey as rekeying
    from clawtap_core.fleet.key_file import kept_machine_id, read_key, write_key
    from clawtap_core.fleet.redis_client import connect

    settings = load_settings({"data_dir": data_dir}, config_file=config)
    old = read_key(settings)
    own_id = kept_machine_id(settings.data_dir)
    done = rekeying.rekey(
        connect(old.redis_url),
        old,
        own_id,
        without=without,
        by_hand=by_hand,
        keep=lambda key: write_key(settings.fleet_key, key),
    )
    echo(f"the fleet {old.fleet} has a new key and is now {done.key.fleet}")
    for names, words in ((done.have, "has it"), (done.lack, "needs it"), (done.out, "is out")):
        for name in names:
            echo(f"{one_line(name, 60)} {words}")
    join = shlex.join(["clawtap", "fleet", "join", "--redis", done.key.redis_url, done.key.text])
    hub = "hub" if own_id else "other hub"
    who = f"machine that needs it and each {hub}" if done.lack else hub
    echo(f"on each {who} run this, and restart its server:\nclawtap fleet leave\n{join}")


@fleet.command("ls")
@as_json
@with_server
def list_machines(server: Transport, as_json: bool) -> None:
    """List the machines of the fleet, the one that answers first."""
    machines = server.machines(measure=True)
    if as_json:
        print_json(dumped(machines))
    elif not machines:
        echo("no machines; `clawtap fleet create` makes a fleet, `clawtap fleet join` joins one")
    else:
        print_table(
            ("MACHINE", "ID", "STATE", "SINCE", "SESSIONS", "WAITING", "ROUND TRIP", "VERSION"),
            [_row(each) for each in machines],
        )
        for status in machines:
            if status.detail:
                name, detail = one_line(status.machine.name, 60), one_line(status.detail, 300)
                echo(detail if detail.startswith(name) else f"{name}: {detail}")


def _row(status: MachineStatus) -> list[str]:
    alone = status.machine.here and status.detail
    return [
        one_line(status.machine.name, 30),
        status.machine.id,
        "alone" if alone else status.machine.state.value,
        local_time(status.since) if status.since else "",
        str(status.sessions),
        str(status.pending or ""),
        f"{status.round_trip * 1000:.1f} ms" if status.round_trip is not None else "",
        one_line(status.version, 20),
    ]


def _settings(redis_url: str | None, data_dir: Path | None, config: Path | None) -> Settings:
    """Return the settings of a machine that is in no fleet yet."""
    settings = load_settings({"redis_url": redis_url, "data_dir": data_dir}, config_file=config)
    if not settings.redis_url:
        raise UsageError(
            "name the Redis of the fleet: --redis redis://HOST:6379", code=ErrorCode.BAD_SETTING
        )
    if settings.fleet_key.exists():
        raise UsageError(
            f"this machine has a fleet key in {settings.fleet_key}; leave that fleet first, with"
            " `clawtap fleet leave`",
            code=ErrorCode.FLEET_EXISTS,
        )
    return settings


def _join(settings: Settings, key: FleetKey) -> bool:
    """Join a fleet, and return whether Redis knew it before."""
    from clawtap_core.fleet.key_file import write_key
    from clawtap_core.fleet.redis_client import check, connect, is_known
    from clawtap_core.fleet.service import forget_machine
    from clawtap_core.journal.folder import make_private

    client = connect(key.redis_url)
    exists = is_known(client, key)
    check(client, key)
    try:
        make_private(settings.data_dir)
        write_key(settings.fleet_key, key)
    except ClawTapError:
        # A fleet that was just made is nobody's.
        forget_machine(client, key, "")
        raise
    return exists


def _reaches_others(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme != "unix" and parts.hostname not in _LOOPBACK


def _say_restart(settings: Settings) -> None:
    url, process = announced(settings.data_dir)
    if url and lives(process):
        echo(f"restart the server here, which runs at {url}")
