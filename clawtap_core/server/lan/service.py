"""The certificate of this machine in its local networks, kept up to date while it serves."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization

from clawtap_core.server.lan.authority import (
    RENEW_BEFORE,
    covers,
    lasts,
    open_authority,
    permitted_names,
    read_signed,
    sign,
)
from clawtap_core.server.lan.profile import mobile_config
from clawtap_core.server.private_files import private_folder, write_private
from clawtap_core.system.network import host_names, lan_addresses


class Lan:
    """The addresses of this machine, and a TLS context whose certificate names them."""

    def __init__(
        self,
        data_dir: Path,
        *,
        addresses: Callable[[], Sequence[str]] = lan_addresses,
        names: Sequence[str] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self._folder = data_dir / "lan"
        private_folder(self._folder)
        self._find_addresses = addresses
        self._now = now
        own_names = host_names() if names is None else names
        self._authority = open_authority(self._folder / "authority.pem", own_names, now())
        # If the machine was renamed, its addresses still work.
        self.names = permitted_names(self._authority, own_names)
        self.addresses: tuple[str, ...] = tuple(addresses())
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._load()

    @property
    def root(self) -> bytes:
        """Return the authority's certificate, without its key, as DER."""
        return self._authority.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def root_pem(self) -> str:
        """Return the authority's certificate as PEM."""
        return ssl.DER_cert_to_PEM_cert(self.root)

    @property
    def profile(self) -> bytes:
        """Return the authority's certificate as a profile for iPhones."""
        return mobile_config(self.root, self.title)

    @property
    def title(self) -> str:
        """Return the name under which a phone lists the authority."""
        return str(self._authority.certificate.subject.rfc4514_string().removeprefix("CN="))

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the authority, as phones show it."""
        return self._authority.certificate.fingerprint(hashes.SHA256()).hex(":").upper()

    def refresh(self) -> bool:
        """Renew the certificate if needed; return whether the addresses changed."""
        before, self.addresses = self.addresses, tuple(self._find_addresses())
        self._load()
        return self.addresses != before

    def _load(self) -> None:
        path = self._folder / "server.pem"
        server = read_signed(path)
        if not (
            server
            and covers(self._authority, server, self.names, self.addresses)
            and lasts(server, self._now(), RENEW_BEFORE)
        ):
            server = sign(self._authority, self.names, self.addresses, self._now())
            write_private(path, server.pem)
        # Open connections keep the old certificate.
        self.context.load_cert_chain(path)
