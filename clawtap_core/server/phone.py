"""The address at which a phone reaches this machine, or how to set one up."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from clawtap_core.config import Settings, is_loopback
from clawtap_core.system.network import routed_address
from clawtap_core.system.tailscale import Tailscale, find_tailscale

if TYPE_CHECKING:
    from clawtap_core.server.lan.service import Lan

ANYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not listened on
# How long what Tailscale said is taken for true.
KEEP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class PhoneAddress:
    """Where a phone opens the page; without a `url`, `advice` says in one line how to get one.

    `certificate_url` is the page from which a phone installs our certificate, over plain HTTP;
    `others` are further addresses, of other networks.
    """

    url: str | None = None
    advice: str = ""
    certificate_url: str | None = None
    others: tuple[str, ...] = ()


_IN_WIFI = "Restart with `clawtap serve --lan` for a phone in the same Wi-Fi"
# A hub has no --lan.
HUB_IN_NETWORK = (
    "Restart with `clawtap hub --host 0.0.0.0 --tls-cert FILE --tls-key FILE` for a phone in the"
    " same network"
)


class PhoneAccess:
    """How phones reach this server; asks Tailscale, at most every few seconds."""

    def __init__(
        self,
        settings: Settings,
        lan: Lan | None = None,
        *,
        in_network: str = _IN_WIFI,
        ask: Callable[[int], Tailscale] = find_tailscale,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.lan = lan
        self._settings = settings
        self._in_network = in_network
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._asked: tuple[float, Tailscale] | None = None

    def address(self) -> PhoneAddress:
        """Return the address for a phone now."""
        if self.lan:
            return self._lan_address(self.lan)
        if url := configured_url(self._settings):
            return PhoneAddress(url)
        if not is_loopback(self._settings.host):
            return PhoneAddress(advice="This machine has no network now. Connect it, then reload.")
        tailscale = self._tailscale()
        if tailscale.url:
            return PhoneAddress(tailscale.url)
        return PhoneAddress(advice=_advice(tailscale, self._settings.port, self._in_network))

    def may_be_served(self) -> bool:
        """Return whether Tailscale is installed here and could serve us."""
        if self.lan or configured_url(self._settings) or not is_loopback(self._settings.host):
            return False
        return self._tailscale().installed

    def is_ours(self, host: str) -> bool:
        """Return whether a host name is ours in the local network or in Tailscale."""
        if self.lan and (host in self.lan.names or _is_address(host)):
            return True
        return "." in host and host == self._tailscale().name

    def _lan_address(self, lan: Lan) -> PhoneAddress:
        if not lan.addresses:
            return PhoneAddress(
                advice="This machine has no local network now. Connect it to the Wi-Fi of your"
                " phone; ClawTap notices by itself."
            )
        urls = [f"https://{bracketed(each)}:{self._settings.port}" for each in lan.addresses]
        certificate_url = f"http{urls[0].removeprefix('https')}"
        return PhoneAddress(urls[0], certificate_url=certificate_url, others=tuple(urls[1:]))

    def _tailscale(self) -> Tailscale:
        with self._lock:
            if self._asked is None or self._clock() - self._asked[0] > KEEP_SECONDS:
                self._asked = (self._clock(), self._ask(self._settings.port))
            return self._asked[1]


def configured_url(settings: Settings) -> str | None:
    """Return the URL for other devices that the settings give, or None."""
    if settings.allowed_hosts:
        return _allowed_url(settings, settings.allowed_hosts[0])
    host = routed_address() if settings.host in ANYWHERE else settings.host
    if host is None or is_loopback(host):
        return None
    scheme = "https" if settings.tls_cert else "http"
    return f"{scheme}://{bracketed(host)}:{settings.port}"


def opened_url(settings: Settings, base: str, *, secure: bool) -> str | None:
    """Return the URL by which a device opened `base`, or None if that was on this machine."""
    parts = urlsplit(base)
    if is_loopback(parts.hostname or "localhost"):
        return None
    # Plain HTTP under another name comes from a tunnel that ends TLS, unless all is insecure.
    scheme = "https" if secure or not settings.insecure else "http"
    return f"{scheme}://{parts.netloc}"


def bracketed(host: str) -> str:
    """Return a host as a URL needs it."""
    return f"[{host}]" if ":" in host else host


def _allowed_url(settings: Settings, host: str) -> str:
    if settings.insecure and not settings.tls_cert:
        return f"http://{host}"
    # Our own TLS is on our port; that of a tunnel or proxy is on 443.
    has_port = ":" in host.rpartition("]")[2]
    port = f":{settings.port}" if settings.tls_cert and not has_port else ""
    return f"https://{host}{port}"


def _advice(tailscale: Tailscale, port: int, in_network: str) -> str:
    serve = f"`tailscale serve --bg {port}`"
    if tailscale.name:
        return f"Run {serve}, then open https://{tailscale.name} on a phone in your tailnet."
    state = "start" if tailscale.installed else "install"
    return f"{in_network}; from anywhere: {state} Tailscale, then run {serve}."


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
