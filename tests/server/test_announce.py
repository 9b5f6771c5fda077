from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.config import Settings
from clawtap_core.server import announcement
from clawtap_core.server.announcement import local_url, public_url

CERT = Path("cert.pem")


@pytest.mark.parametrize(
    ("settings", "local", "public"),
    [
        (Settings(), "http://127.0.0.1:3456", "http://127.0.0.1:3456"),
        (Settings(host="::1"), "http://[::1]:3456", "http://[::1]:3456"),
        (
            Settings(host="0.0.0.0", insecure=True),
            "http://127.0.0.1:3456",
            "http://192.168.1.5:3456",
        ),
        (Settings(allowed_hosts=("tap.example",)), "http://127.0.0.1:3456", "https://tap.example"),
        (
            Settings(tls_cert=CERT, allowed_hosts=("tap.example",)),
            "https://127.0.0.1:3456",
            "https://tap.example:3456",
        ),
        (
            Settings(tls_cert=CERT, allowed_hosts=("tap.example:8443",)),
            "https://127.0.0.1:3456",
            "https://tap.example:8443",
        ),
    ],
)
def test_the_url_is_one_that_the_other_side_can_open(
    settings: Settings, local: str, public: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcement, "own_address", lambda: "192.168.1.5")
    assert (local_url(settings), public_url(settings)) == (local, public)


def test_the_own_address_is_one() -> None:
    assert announcement.own_address().count(".") == 3


def test_a_log_file_gets_no_code() -> None:
    out: Any = io.StringIO()
    announcement.announce(Settings(), "SECRE-TCODE", out)
    assert out.getvalue() == "ClawTap listens on http://127.0.0.1:3456\n"
