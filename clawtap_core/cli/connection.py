"""Find the running server by flags, the environment or the data folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from clawtap_core.errors import ClawTapError, ErrorCode, Unauthorized, Unavailable, UsageError
from clawtap_core.system.processes import lives
from clawtap_core.transport import Transport

if TYPE_CHECKING:
    from clawtap_core.config import Settings

Command = TypeVar("Command", bound=Callable[..., Any])
T = TypeVar("T")
# Makes a transport from a URL, a token and a CA bundle (True: the system's); tests replace it.
Connect = Callable[[str, str, "bool | str"], Transport]
_FILE = click.Path(path_type=Path)
_TOKEN = re.compile(r"[!-~]+")


class Where(NamedTuple):
    """The flags that locate the server."""

    url: str | None = None
    token_file: Path | None = None
    data_dir: Path | None = None
    ca_file: Path | None = None


def with_server(command: Command) -> Command:
    """Give a command the options that locate the server, and its transport first."""
    return with_client(command, make=http)


def with_machine(command: Command) -> Command:
    """Give a command the options that locate the server and a machine of its fleet."""

    @with_server
    @click.option("--machine", help="The machine of the fleet, by its name or id.")
    @wraps(command)
    def on_machine(server: Transport, machine: str | None, **options: Any) -> Any:
        if machine is not None:
            return command(server.at(machine), **options)
        try:
            return command(server, **options)
        except ClawTapError as error:
            # The server says what a program has to add, which is a flag here.
            flag = (error.details or {}).get("missing")
            if not flag:
                raise
            message = f"{error.message}; add --{flag}"
            raise UsageError(message, code=error.code, details=error.details) from error

    return cast("Command", on_machine)


def with_client(command: Command, make: Callable[[str, str, bool | str], Any]) -> Command:
    """Give a command the options that locate the server, and the client of it first."""

    @click.option(
        "--url", envvar="CLAWTAP_URL", help="The URL of the server, such as http://127.0.0.1:3456."
    )
    @click.option("--token-file", type=_FILE, help="A file with the server's token.")
    @click.option("--data-dir", type=_FILE, help="The data folder of a server on this machine.")
    @click.option(
        "--ca-file",
        type=click.Path(exists=True, path_type=Path),
        help="A CA bundle that verifies the server's certificate.",
    )
    @wraps(command)
    def with_connection(**options: Any) -> Any:
        where = Where(*(options.pop(name) for name in Where._fields))
        return command(connect(where, click.get_current_context().obj or make), **options)

    return cast("Command", with_connection)


def connect(where: Where, make: Callable[[str, str, bool | str], T]) -> T:
    """Return a client of the server, made from URL, token and CA bundle; or raise Unavailable."""
    from clawtap_core.config import load_settings

    settings = load_settings({"data_dir": where.data_dir, "token_file": where.token_file})
    url = where.url or running_url(settings.data_dir)
    bundle = where.ca_file or (None if where.url else settings.tls_cert)
    return make(url, _token(settings), str(bundle) if bundle else True)


def http(url: str, token: str, verify: bool | str) -> Transport:
    """Return a transport over HTTP."""
    from clawtap_core.client import HttpTransport

    return HttpTransport(url, token, verify=verify)


def running_url(folder: Path) -> str:
    """Return the URL of the running server of this data folder."""
    url, pid = announced(folder)
    if not (url and lives(pid)):
        raise Unavailable(
            f"no ClawTap server runs with the data folder {folder}; start one with"
            " `clawtap serve`, or name one with --url",
            code=ErrorCode.NO_SERVER,
        )
    return url


def announced(folder: Path) -> tuple[str, int]:
    """Return the URL and process id in server.json; "" and 0 without one."""
    try:
        fields = json.loads((folder / "server.json").read_text(encoding="utf-8"))
        return str(fields["url"]), int(fields["pid"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "", 0


def _token(settings: Settings) -> str:
    if settings.token:
        return settings.token
    path = settings.token_file or settings.data_dir / "token"
    try:
        token, problem = path.read_text(encoding="ascii", errors="replace").strip(), ""
    except OSError as error:
        token, problem = "", error.strerror or str(error)
    if not _TOKEN.fullmatch(token):
        raise Unauthorized(
            f"the token cannot be read from {path} ({problem or 'it holds something else'}); name"
            " its file with --token-file, or set CLAWTAP_TOKEN",
            code=ErrorCode.NO_TOKEN,
        )
    return token
