"""A web push service of the tests' own: it checks each message as a browser's service does.

It speaks TLS with a certificate of its own. A server under test trusts it by `environment`.
"""

from __future__ import annotations

import base64
import datetime
import ipaddress
import json
import os
import queue
import ssl
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import http_ece
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

_CURVE = ec.SECP256R1()


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Receiver:
    """One browser at the service: its keys, and the messages that came, decrypted."""

    endpoint: str
    vapid_key: str
    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(_CURVE)
    )
    auth: bytes = field(default_factory=lambda: os.urandom(16))
    messages: queue.Queue[dict[str, Any]] = field(default_factory=queue.Queue)

    @property
    def subscription(self) -> dict[str, Any]:
        """What a browser sends to subscribe."""
        point = self.private.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        keys = {"p256dh": encoded(point), "auth": encoded(self.auth)}
        return {"endpoint": self.endpoint, "keys": keys}

    def take(self, headers: Any, body: bytes, origin: str) -> None:
        """Check who signed the message and for whom it is encrypted, and keep it."""
        scheme, _, fields = headers["Authorization"].partition(" ")
        named = dict(part.strip().split("=", 1) for part in fields.split(","))
        assert (scheme, named["k"].rstrip("=")) == ("vapid", self.vapid_key)
        claims = verified(named["t"], decoded(named["k"]))
        now = datetime.datetime.now(datetime.timezone.utc).timestamp()
        assert claims["aud"] == origin
        assert now < claims["exp"] <= now + 24 * 3600
        assert claims["sub"].startswith("mailto:")
        assert headers["Content-Encoding"] == "aes128gcm"
        assert int(headers["TTL"]) > 0
        assert len(headers["Topic"]) <= 32
        assert len(body) <= 4096
        text = http_ece.decrypt(
            body, private_key=self.private, auth_secret=self.auth, version="aes128gcm"
        )
        self.messages.put(json.loads(text))


def verified(token: str, point: bytes) -> dict[str, Any]:
    """The claims of a JSON web token that this key signed."""
    signed, _, signature = token.rpartition(".")
    head, claims = (json.loads(decoded(part)) for part in signed.split("."))
    assert head["alg"] == "ES256"
    raw = decoded(signature)
    r, s = (int.from_bytes(half, "big") for half in (raw[:32], raw[32:]))
    key = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, point)
    key.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(hashes.SHA256()))
    return dict(claims)


class PushService:
    """The service on a free port of loopback; `problems` are messages that were wrong."""

    def __init__(self, folder: Path) -> None:
        self.certificate = folder / "push-service.pem"
        _write_certificate(self.certificate)
        self.receivers: dict[str, Receiver] = {}
        self.problems: list[str] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(service.take(self.path, self.headers, body))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.origin = f"https://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def environment(self) -> dict[str, str]:
        """What lets a server trust this service."""
        return {"REQUESTS_CA_BUNDLE": str(self.certificate)}

    def receiver(self, vapid_key: str) -> Receiver:
        """A new browser that takes messages signed with this key only."""
        path = f"/push/{len(self.receivers)}"
        self.receivers[path] = Receiver(self.origin + path, vapid_key)
        return self.receivers[path]

    def take(self, path: str, headers: Any, body: bytes) -> int:
        """Take a message; the status of the reply."""
        try:
            self.receivers[path].take(headers, body, self.origin)
        except Exception as error:
            self.problems.append(f"{type(error).__name__}: {error}")
            return 400
        return 201

    def close(self) -> None:
        """End the service."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _write_certificate(path: Path) -> None:
    key = ec.generate_private_key(_CURVE)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "push service of the tests")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
