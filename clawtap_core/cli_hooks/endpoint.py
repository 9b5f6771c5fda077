"""Write the files by which the bridge finds the running server and is let in."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from clawtap_core.cli_hooks.bridge import (
    CURL,
    DOOR,
    FOLDER,
    SECRET,
    SERVER,
    hook_folder,
    write_bridge,
)
from clawtap_core.cli_hooks.certificate import certified_name
from clawtap_core.system.atomic_file import read_file, replace_file

PATH = "/api/hooks"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How the bridge connects: to `address`, but under a `name` that the certificate covers."""

    address: str
    port: int
    name: str
    certificate: Path | None = None

    @property
    def url(self) -> str:
        """Return the URL that hooks post to."""
        scheme = "https" if self.certificate else "http"
        return f"{scheme}://{_bracketed(self.name)}:{self.port}{PATH}"

    @property
    def host(self) -> str:
        """Return the Host header, which the server always allows."""
        return f"{_bracketed(self.address)}:{self.port}"


def door(
    host: str, port: int, certificate: Path | None = None, key: Path | None = None
) -> Endpoint:
    """Return the endpoint of a server that listens on `host` with this certificate."""
    address = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
    name = certified_name(certificate, key, address) if certificate and key else address
    return Endpoint(address, port, name, certificate)


@contextmanager
def opened(data_dir: Path, way: Endpoint) -> Iterator[None]:
    """Publish the endpoint to the bridge while the server runs."""
    folder = data_dir / FOLDER
    write_bridge(data_dir)
    token = secret(data_dir)
    door = {
        "secret": token,
        "address": way.address,
        "host": way.host,
        "certificate": str(way.certificate or ""),
    }
    replace_file(folder / DOOR, json.dumps(door).encode())
    replace_file(folder / CURL, _curl(way, token).encode())
    replace_file(folder / SERVER, f"{os.getpid()} {way.url}\n".encode())
    try:
        yield
    finally:
        (folder / SERVER).unlink(missing_ok=True)


def secret(data_dir: Path) -> str:
    """Return the bridge's secret from the data folder, created on first use."""
    path = hook_folder(data_dir) / SECRET
    kept = read_file(path)
    if kept is None or not kept.strip():
        replace_file(path, f"{secrets.token_urlsafe(32)}\n".encode())
        kept = path.read_bytes()
    path.chmod(0o600)
    return kept.decode("ascii").strip()


def _curl(way: Endpoint, token: str) -> str:
    """Return curl's configuration, which keeps the secret out of process lists."""
    lines = [
        "silent",
        "fail",
        "connect-timeout = 1",
        'noproxy = "*"',
        f'header = "Authorization: Bearer {token}"',
        'header = "Content-Type: application/json"',
        'header = "Expect:"',
        f'header = "Host: {way.host}"',
    ]
    if way.certificate:
        quoted = str(way.certificate).replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'cacert = "{quoted}"')
        lines.append(f'connect-to = "::{_bracketed(way.address)}:{way.port}"')
    return "\n".join(lines) + "\n"


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name
