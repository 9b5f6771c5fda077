"""A box that anyone can fill with its public half, and only one machine can open.

It carries a new fleet key to a machine, hidden from those who have the old key.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.exceptions import InvalidKey
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_PURPOSE = b"a new key of a ClawTap fleet"


class BoxBroken(Exception):
    """What was put into a box does not open, or the public half is not one."""


class KeyBox:
    """The private half; it lives as long as the process."""

    def __init__(self) -> None:
        self._private = X25519PrivateKey.generate()

    @property
    def public(self) -> str:
        """Return the public half."""
        return urlsafe_b64encode(self._private.public_key().public_bytes_raw()).decode()

    def open(self, boxed: str) -> str:
        """Return the text in a box; raise BoxBroken if it is not for this machine."""
        sender, _, sealed = boxed.partition(".")
        try:
            peer = X25519PublicKey.from_public_bytes(urlsafe_b64decode(sender))
            secret = _secret(self._private.exchange(peer), sender, self.public)
            return secret.decrypt(sealed.encode()).decode()
        except (InvalidKey, InvalidToken, ValueError) as error:
            raise BoxBroken from error


def put_into_box(text: str, public: str) -> str:
    """Return a text that only this machine can read; BoxBroken for an unsound public half."""
    try:
        peer = X25519PublicKey.from_public_bytes(urlsafe_b64decode(public))
        once = KeyBox()
        secret = _secret(once._private.exchange(peer), once.public, public)
    except (InvalidKey, ValueError) as error:
        raise BoxBroken from error
    return f"{once.public}.{secret.encrypt(text.encode()).decode()}"


def _secret(shared: bytes, sender: str, receiver: str) -> Fernet:
    salt = f"{sender} {receiver}".encode()
    derived = HKDF(algorithm=SHA256(), length=32, salt=salt, info=_PURPOSE).derive(shared)
    return Fernet(urlsafe_b64encode(derived))
