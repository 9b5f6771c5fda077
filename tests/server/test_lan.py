"""The certificate of the local network: what it covers, when it is renewed, what it cannot do."""

from __future__ import annotations

import ipaddress
import plistlib
import socket
import ssl
import stat
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gevent
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from clawtap_core.errors import UsageError
from clawtap_core.server import serve
from clawtap_core.server.lan.authority import Signed, make_authority, sign
from clawtap_core.server.lan.service import Lan

NOW = datetime.now(timezone.utc)
HOME, CAFE = "192.168.1.5", "10.20.0.7"
Opened = Callable[..., Lan]
_DER = Encoding.DER


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """Opens the same folder, as a server that starts does."""

    def open_lan(
        *addresses: str, names: tuple[str, ...] = ("box", "box.local"), days: int = 0
    ) -> Lan:
        now = NOW + timedelta(days=days)
        return Lan(tmp_path, addresses=lambda: addresses, names=names, now=lambda: now)

    return open_lan


def handshake(context: ssl.SSLContext, root: str, name: str) -> str:
    """Shake hands as a phone that trusts `root` and opens `name`; the subject's name."""
    client = ssl.create_default_context(cadata=root)
    near, far = socket.socketpair()

    def serve() -> None:
        try:
            with context.wrap_socket(far, server_side=True) as secure:
                secure.recv(1)
        except OSError:
            far.close()

    server = threading.Thread(target=serve)
    server.start()
    try:
        with client.wrap_socket(near, server_hostname=name) as secure:
            certificate = secure.getpeercert()
            secure.sendall(b"x")
    finally:
        near.close()
        server.join(60)
    assert certificate
    return str(dict(pair[0] for pair in certificate["subject"])["commonName"])


def context_of(signed: Signed, tmp_path: Path) -> ssl.SSLContext:
    path = tmp_path / "other.pem"
    path.write_text(signed.pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


@pytest.mark.parametrize("name", [HOME, "fd00::5", "box", "box.local"])
def test_a_phone_that_trusts_the_authority_opens_every_address_and_name(
    name: str, opened: Opened
) -> None:
    lan = opened(HOME, "fd00::5")
    assert handshake(lan.context, lan.root_pem, name) == "ClawTap server"


@pytest.mark.parametrize("name", [CAFE, "other.local"])
def test_no_other_address_or_name_is_covered(name: str, opened: Opened) -> None:
    lan = opened(HOME)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(lan.context, lan.root_pem, name)


@pytest.mark.parametrize(
    ("names", "addresses", "opens"),
    [
        (["bank.example"], [], "bank.example"),
        (["other.local"], [], "other.local"),
        ([], ["8.8.8.8"], "8.8.8.8"),
        ([], ["2a00:1450::1"], "2a00:1450::1"),
        # A name that is not permitted spoils the whole certificate.
        (["bank.example", "box.local"], [HOME], HOME),
    ],
)
def test_a_stolen_authority_cannot_vouch_for_other_sites(
    names: list[str], addresses: list[str], opens: str, tmp_path: Path
) -> None:
    authority = make_authority(["box.local"], NOW)
    context = context_of(sign(authority, names, addresses, NOW), tmp_path)
    root = ssl.DER_cert_to_PEM_cert(authority.certificate.public_bytes(_DER))
    with pytest.raises(ssl.SSLCertVerificationError, match="subtree"):
        handshake(context, root, opens)


def test_an_authority_of_a_machine_without_a_name_permits_no_name(tmp_path: Path) -> None:
    authority = make_authority([], NOW)
    context = context_of(sign(authority, ["bank.example"], [], NOW), tmp_path)
    root = ssl.DER_cert_to_PEM_cert(authority.certificate.public_bytes(_DER))
    with pytest.raises(ssl.SSLCertVerificationError, match="subtree"):
        handshake(context, root, "bank.example")


def test_the_authority_signs_servers_only_and_no_further_authority(opened: Opened) -> None:
    extensions = x509.load_der_x509_certificate(opened(HOME).root).extensions
    limits = extensions.get_extension_for_class(x509.BasicConstraints)
    assert (limits.critical, limits.value.ca, limits.value.path_length) == (True, True, 0)
    assert extensions.get_extension_for_class(x509.NameConstraints).critical
    purposes = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert [purpose.dotted_string for purpose in purposes] == ["1.3.6.1.5.5.7.3.1"]


def test_both_files_are_private(opened: Opened, tmp_path: Path) -> None:
    opened(HOME)
    folder = tmp_path / "lan"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {"authority.pem": 0o600, "server.pem": 0o600}


def served(tmp_path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((tmp_path / "lan" / "server.pem").read_bytes())


def test_a_restart_keeps_both_certificates(opened: Opened, tmp_path: Path) -> None:
    first, before = opened(HOME).root, served(tmp_path)
    assert (opened(HOME).root, served(tmp_path)) == (first, before)


@pytest.mark.parametrize(("days", "renewed"), [(0, False), (59, False), (61, True), (200, True)])
def test_a_certificate_is_renewed_before_it_ends(
    days: int, renewed: bool, opened: Opened, tmp_path: Path
) -> None:
    first, before = opened(HOME).root, served(tmp_path)
    assert opened(HOME, days=days).root == first
    assert (served(tmp_path) != before) is renewed
    lifetime = served(tmp_path).not_valid_after_utc - served(tmp_path).not_valid_before_utc
    assert lifetime < timedelta(days=398)


def test_an_authority_near_its_end_is_replaced(opened: Opened) -> None:
    assert opened(HOME, days=3600).root != opened(HOME).root


def test_an_address_that_changes_while_it_serves_is_covered_at_once(tmp_path: Path) -> None:
    addresses = [HOME]
    lan = Lan(tmp_path, addresses=lambda: addresses, names=("box",))
    assert lan.refresh() is False
    addresses[:] = [CAFE]
    assert lan.refresh() is True
    assert (lan.addresses, lan.refresh()) == ((CAFE,), False)
    assert handshake(lan.context, lan.root_pem, CAFE)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(lan.context, lan.root_pem, HOME)


def test_without_a_network_only_the_names_are_covered(opened: Opened) -> None:
    lan = opened()
    assert (lan.addresses, handshake(lan.context, lan.root_pem, "box")) == ((), "ClawTap server")


def test_a_machine_that_was_renamed_keeps_its_authority_and_its_addresses(opened: Opened) -> None:
    first = opened(HOME).root
    lan = opened(HOME, names=("new", "new.local"))
    assert (lan.root, lan.names) == (first, ())
    assert handshake(lan.context, lan.root_pem, HOME)


@pytest.mark.parametrize("name", ["authority.pem", "server.pem"])
@pytest.mark.parametrize("damage", ["", "no certificate", None])
def test_a_damaged_file_is_named(
    name: str, damage: str | None, opened: Opened, tmp_path: Path
) -> None:
    opened(HOME)
    path = tmp_path / "lan" / name
    other = {"authority.pem": "server.pem", "server.pem": "authority.pem"}[name]
    # Half of one file and half of the other are a key that is another's.
    key = path.read_text().partition("-----BEGIN CERT")[0]
    mixed = (
        key + "-----BEGIN CERT" + path.with_name(other).read_text().partition("-----BEGIN CERT")[2]
    )
    path.write_text(mixed if damage is None else damage)
    with pytest.raises(UsageError, match="is damaged") as caught:
        opened(HOME)
    assert str(path) in caught.value.message
    assert caught.value.code == "bad_certificate"


def test_a_certificate_of_another_authority_is_replaced(opened: Opened, tmp_path: Path) -> None:
    opened(HOME)
    (tmp_path / "lan" / "authority.pem").unlink()
    lan = opened(HOME)
    assert handshake(lan.context, lan.root_pem, HOME)


def test_the_profile_holds_the_certificate_and_replaces_its_earlier_self(opened: Opened) -> None:
    lan = opened(HOME)
    profile = plistlib.loads(lan.profile)
    (payload,) = profile["PayloadContent"]
    assert (payload["PayloadType"], payload["PayloadContent"]) == (
        "com.apple.security.root",
        lan.root,
    )
    assert profile["PayloadDisplayName"] == lan.title == "ClawTap on box"
    assert lan.profile == lan.profile
    assert b"PRIVATE" not in lan.profile


def test_private_networks_are_the_whole_of_what_addresses_are_permitted(opened: Opened) -> None:
    root = x509.load_der_x509_certificate(opened(HOME).root)
    constraints = root.extensions.get_extension_for_class(x509.NameConstraints).value
    networks = [
        n.value for n in constraints.permitted_subtrees or () if isinstance(n, x509.IPAddress)
    ]
    assert not any(ipaddress.ip_address("8.8.8.8") in network for network in networks)
    assert all(not network.is_global for network in networks)


@pytest.mark.parametrize(
    "error", [UsageError("No space left on device"), OSError(24, "Too many open files")]
)
def test_a_certificate_that_cannot_be_stored_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    class Failing:
        tries = 0

        def refresh(self) -> bool:
            self.tries += 1
            raise error

    lan = Failing()
    monkeypatch.setattr(serve, "NETWORK_SECONDS", 0.01)
    state: Any = SimpleNamespace(phones=SimpleNamespace(lan=lan))
    with serve.following_network(state, None), gevent.Timeout(30):
        while lan.tries < 2:
            gevent.sleep(0.01)
