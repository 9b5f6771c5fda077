"""The certificate authority of this machine, and the certificates that it signs.

Phones install the authority once, so it must be worth nothing to a thief: name constraints keep
it from vouching for any site of the internet.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from clawtap_core.errors import ErrorCode, UsageError
from clawtap_core.server.private_files import write_private
from clawtap_core.system.network import PRIVATE_NETWORKS

AUTHORITY_DAYS = 3650
# Apple accepts 825 days under an installed authority; fewer limit what a stolen key can do.
CERTIFICATE_DAYS = 90
RENEW_BEFORE = timedelta(days=30)
# Clocks of phones may be slow.
_SLACK = timedelta(hours=24)
_PEM = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True)
class Signed:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> str:
        """Return both as PEM."""
        key = self.key.private_bytes(
            _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return (key + self.certificate.public_bytes(_PEM)).decode()


def open_authority(path: Path, names: Sequence[str], now: datetime) -> Signed:
    """Return the authority in a file; make a new one if it is missing or about to expire."""
    authority = read_signed(path)
    if authority and lasts(authority, now, timedelta(days=CERTIFICATE_DAYS)):
        return authority
    authority = make_authority(names, now)
    write_private(path, authority.pem)
    return authority


def read_signed(path: Path) -> Signed | None:
    """Return the certificate and key in a file, or None; raise UsageError if it is damaged."""
    try:
        data = path.read_bytes()
        key = serialization.load_pem_private_key(data, None)
        certificate = x509.load_pem_x509_certificate(data)
        if isinstance(key, ec.EllipticCurvePrivateKey) and (
            key.public_key() == certificate.public_key()
        ):
            return Signed(certificate, key)
        problem = "its key is another's"
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        problem = str(error)
    raise UsageError(
        f"{path} is damaged ({problem}); delete the folder {path.parent} to make a new"
        " certificate, then install it on your phones again",
        code=ErrorCode.BAD_CERTIFICATE,
    )


def lasts(signed: Signed, now: datetime, least: timedelta) -> bool:
    """Return whether a certificate is valid now, and for at least this long."""
    valid = signed.certificate
    return valid.not_valid_before_utc <= now and now + least <= valid.not_valid_after_utc


def make_authority(names: Sequence[str], now: datetime) -> Signed:
    """Make an authority that can sign for these host names and private addresses only."""
    key = ec.generate_private_key(ec.SECP256R1())
    # With no permitted name, every name would be permitted.
    permitted = [x509.DNSName(name) for name in names or ("clawtap.invalid",)]
    # An address may change with every network, while phones install the authority once.
    networks = [x509.IPAddress(network) for network in PRIVATE_NETWORKS]
    title = f"ClawTap on {names[0]}" if names else "ClawTap"
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title[:64])])
    builder = (
        _builder(subject, subject, key, now, timedelta(days=AUTHORITY_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.NameConstraints([*permitted, *networks], None), critical=True)
        .add_extension(_usage(signs=True), critical=True)
    )
    return Signed(builder.sign(key, hashes.SHA256()), key)


def sign(
    authority: Signed, names: Sequence[str], addresses: Sequence[str], now: datetime
) -> Signed:
    """Make a certificate of a server with these names and addresses."""
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = authority.certificate
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ClawTap server")])
    alternatives = [
        *(x509.DNSName(name) for name in names),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in addresses),
    ]
    builder = (
        _builder(subject, issuer.subject, key, now, timedelta(days=CERTIFICATE_DAYS))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()),
            critical=False,
        )
    )
    return Signed(builder.sign(authority.key, hashes.SHA256()), key)


def permitted_names(authority: Signed, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the names that the authority may sign for."""
    constraints = authority.certificate.extensions.get_extension_for_class(x509.NameConstraints)
    allowed = {
        name.value
        for name in constraints.value.permitted_subtrees or ()
        if isinstance(name, x509.DNSName)
    }
    return tuple(name for name in names if name in allowed)


def covers(
    authority: Signed, server: Signed, names: Sequence[str], addresses: Sequence[str]
) -> bool:
    """Return whether the authority signed this certificate for just these names and addresses."""
    try:
        server.certificate.verify_directly_issued_by(authority.certificate)
    except (InvalidSignature, ValueError, TypeError):
        return False
    alternatives = server.certificate.extensions.get_extension_for_class(
        x509.SubjectAlternativeName
    ).value
    signed = {
        *alternatives.get_values_for_type(x509.DNSName),
        *map(str, alternatives.get_values_for_type(x509.IPAddress)),
    }
    return signed == {*names, *addresses}


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    now: datetime,
    lifetime: timedelta,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SLACK)
        .not_valid_after(now + lifetime)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    unused = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement"), False
    )
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
        **unused,
    )
