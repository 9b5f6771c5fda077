"""What the tailscale program says about this machine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from clawtap_core.system.network import is_host_name
from clawtap_core.system.processes import program_output

# The app of macOS puts no program on the PATH.
_PROGRAMS = ("tailscale", "/Applications/Tailscale.app/Contents/MacOS/Tailscale")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Tailscale:
    """Whether Tailscale is installed, this machine's name while it runs, and what it serves.

    `url` is where `tailscale serve` passes on to the port, if it does.
    """

    installed: bool = False
    name: str | None = None
    url: str | None = None


def find_tailscale(port: int) -> Tailscale:
    """Ask Tailscale how other devices reach a port of this machine."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        return Tailscale()
    name = _own_name(_parsed(program, "status", "--json"))
    if name is None:
        return Tailscale(installed=True)
    urls = _served_urls(_parsed(program, "serve", "status", "--json"), name, port)
    return Tailscale(installed=True, name=name, url=next(urls, None))


def _parsed(*command: str) -> dict[str, Any]:
    try:
        parsed = json.loads(program_output(*command, seconds=_SECONDS) or "{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _own_name(status: dict[str, Any]) -> str | None:
    own = status.get("Self")
    if status.get("BackendState") != "Running" or not isinstance(own, dict):
        return None
    name = str(own.get("DNSName") or "").lower().rstrip(".")
    return name if is_host_name(name) else None


def _served_urls(config: dict[str, Any], name: str, port: int) -> Iterator[str]:
    """Find the HTTPS addresses whose root is passed on to our port."""
    # `tailscale serve` without --bg has a configuration of its own.
    foreground = config.get("Foreground")
    for part in (config, *(foreground.values() if isinstance(foreground, dict) else ())):
        hosts = part.get("Web") if isinstance(part, dict) else None
        for host, served in (hosts if isinstance(hosts, dict) else {}).items():
            its_name, _, its_port = str(host).rpartition(":")
            if its_name == name and its_port.isdigit() and _leads_to(served, port):
                yield f"https://{name}" if its_port == "443" else f"https://{name}:{its_port}"


def _leads_to(served: Any, port: int) -> bool:
    try:
        proxy = urlsplit(str(served["Handlers"]["/"]["Proxy"]))
        target = (proxy.hostname, proxy.port or 80)
    except (KeyError, TypeError, ValueError):
        return False
    return target[0] in _LOOPBACK and target[1] == port
