from __future__ import annotations

import errno
import io
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clawtap_core.config import Settings
from clawtap_core.server import phone
from clawtap_core.server.announcement import announce, local_url
from clawtap_core.server.pairing import PairingCodes
from clawtap_core.server.phone import PhoneAccess, opened_url
from clawtap_core.system.tailscale import Tailscale

CERT = Path("cert.pem")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def access(settings: Settings, lan: Any = None, **tailscale: Any) -> PhoneAccess:
    return PhoneAccess(settings, lan, ask=lambda port: Tailscale(**tailscale))


def shown(settings: Settings, lan: Any = None, **tailscale: Any) -> str:
    out = Terminal()
    announce(settings, access(settings, lan, **tailscale), PairingCodes(), out)
    return out.getvalue()


class FullLog(io.StringIO):
    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_behind_the_output_keeps_nobody_from_being_served() -> None:
    assert announce(Settings(), access(Settings()), PairingCodes(), FullLog()) is None


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which every line has its place."""
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.parametrize(
    ("settings", "local", "public"),
    [
        (Settings(), "http://127.0.0.1:3456", None),
        (Settings(host="::1"), "http://[::1]:3456", None),
        (
            Settings(host="0.0.0.0", insecure=True),
            "http://127.0.0.1:3456",
            "http://192.168.1.5:3456",
        ),
        (Settings(host="10.0.0.7", tls_cert=CERT), *2 * ("https://10.0.0.7:3456",)),
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
    settings: Settings, local: str, public: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phone, "routed_address", lambda: "192.168.1.5")
    assert (local_url(settings), access(settings).address().url) == (local, public)


def test_an_address_that_no_phone_can_open_has_no_qr_code() -> None:
    lines = shown(Settings()).splitlines()
    assert lines[0].startswith("ClawTap: open http://127.0.0.1:3456/login#pair=")
    assert lines[1:] == [
        "Phone:   Restart with `clawtap serve --lan` for a phone in the same Wi-Fi; from anywhere:"
        " install Tailscale, then run `tailscale serve --bg 3456`."
    ]
    assert "start Tailscale, then run" in shown(Settings(), installed=True)


def test_a_narrow_terminal_breaks_no_word_and_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert shown(Settings()).splitlines()[1:] == [
        "Phone:   Restart with `clawtap serve --lan` for a phone in the same",
        "         Wi-Fi; from anywhere: install Tailscale, then run",
        "         `tailscale serve --bg 3456`.",
    ]


def test_a_terminal_that_does_not_know_its_size_gets_usual_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Python 3.10 returns what such a terminal says; later ones do what is expected here.
    unknown = os.terminal_size((0, 0))
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: unknown)
    assert all(len(line) <= 80 for line in shown(Settings()).splitlines())


def test_tailscale_that_runs_needs_one_command() -> None:
    text = shown(Settings(port=4000), installed=True, name="desk.tail1.ts.net")
    assert "▄" not in text
    assert "Run `tailscale serve --bg 4000`, then open https://desk.tail1.ts.net on a phone" in text


def test_tailscale_that_serves_us_gets_a_qr_code_with_a_code_of_its_own() -> None:
    url = "https://desk.tail1.ts.net"
    text = shown(Settings(), installed=True, name="desk.tail1.ts.net", url=url)
    first, second = text.splitlines()[:2]
    assert "▄" in text
    assert second.startswith(f"Phone:   to sign in, scan this QR code, or open {url} and type ")
    assert first[-11:] != second[-11:]


def test_the_local_network_shows_where_the_certificate_is_and_every_address() -> None:
    lan = SimpleNamespace(addresses=("192.168.1.5", "10.8.0.2", "fd00::2"), names=("box.local",))
    text = shown(Settings(lan=True), lan)
    assert text.splitlines()[1].startswith(
        "Phone:   1. Only the first time, open http://192.168.1.5:3456 to install the certificate"
    )
    assert text.splitlines()[2].startswith(
        "         2. To sign in, scan this QR code, or open https://192.168.1.5:3456 and type "
    )
    assert "in another network: https://10.8.0.2:3456\n" in text
    assert "in another network: https://[fd00::2]:3456\n" in text
    assert "http://192.168.1.5:3456/login" not in text


def test_a_machine_without_a_network_says_so() -> None:
    text = shown(Settings(lan=True), SimpleNamespace(addresses=(), names=()))
    assert "▄" not in text
    assert "has no local network now. Connect it to the Wi-Fi of your phone" in text


def test_a_host_without_a_route_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone, "routed_address", lambda: None)
    address = access(Settings(host="0.0.0.0", insecure=True)).address()
    assert (address.url, address.advice.partition(".")[0]) == (
        None,
        "This machine has no network now",
    )


@pytest.mark.parametrize(
    ("base", "secure", "url"),
    [
        ("http://127.0.0.1:3456/", False, None),
        ("http://localhost:3456/", False, None),
        ("http://desk.tail1.ts.net/", False, "https://desk.tail1.ts.net"),
        ("https://192.168.1.5:3456/", True, "https://192.168.1.5:3456"),
    ],
)
def test_a_page_knows_by_which_address_it_was_opened(
    base: str, secure: bool, url: str | None
) -> None:
    assert opened_url(Settings(), base, secure=secure) == url


def test_tailscale_is_asked_once_in_a_while() -> None:
    now, asked = [0.0], []

    def ask(port: int) -> Tailscale:
        asked.append(port)
        return Tailscale(installed=True)

    phones = PhoneAccess(Settings(), ask=ask, clock=lambda: now[0])
    for now[0] in (0.0, 5.0, 20.0):
        phones.address()
    assert asked == [3456, 3456]


def test_a_log_file_gets_no_code() -> None:
    out: Any = io.StringIO()
    announce(Settings(), access(Settings()), PairingCodes(), out)
    assert out.getvalue() == "ClawTap listens on http://127.0.0.1:3456\n"
