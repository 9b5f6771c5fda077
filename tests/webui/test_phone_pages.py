"""How a phone comes in: Settings, and the page with the certificate."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask
from flask.testing import FlaskClient
from webdesk.desk import Desk
from webdesk.served import TOKEN

from clawtap_core.config import Settings
from clawtap_core.server.app import create_app
from clawtap_core.server.connections import PLAIN
from clawtap_core.server.devices import Devices
from clawtap_core.server.lan.service import Lan
from clawtap_core.server.phone import PhoneAccess
from clawtap_core.system.tailscale import Tailscale
from webui.plugin import register_routes

HOME = "192.168.1.5"
# Nothing lies above it, such as the bar.
IN_SIGHT = """(one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}"""
FILES = ("clawtap.crt", "clawtap.pem", "clawtap.mobileconfig")


@pytest.fixture
def opened(desk: Desk, tmp_path: Path) -> Callable[..., FlaskClient]:
    """Opens the pages as the owner, with a Tailscale or a local network."""

    def open_(lan: Lan | None = None, token: str = TOKEN, **tailscale: Any) -> FlaskClient:
        settings = Settings(data_dir=tmp_path / "data", token=TOKEN, lan=lan is not None)
        phones = PhoneAccess(settings, lan, ask=lambda port: Tailscale(**tailscale))
        devices = Devices(settings.data_dir / "devices.json", TOKEN)
        app: Flask = create_app(
            desk.transport, settings, devices=devices, extend=register_routes, phones=phones
        )
        client = app.test_client()
        client.environ_base["HTTP_ACCEPT"] = "text/html"
        if token:
            client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        return client

    return open_


@pytest.fixture
def lan(tmp_path: Path) -> Lan:
    return Lan(tmp_path, addresses=lambda: (HOME, "10.8.0.2"), names=("box", "box.local"))


def test_an_address_that_no_phone_can_open_gets_no_qr_code(
    opened: Callable[..., FlaskClient],
) -> None:
    page = opened().post("/settings/pair").text
    assert "<code>clawtap serve --lan</code>" in page
    assert 'class="qr"' not in page
    assert 'class="pair-code"' in page
    assert (
        "Run <code>tailscale serve --bg 3456</code>"
        in opened(name="a.ts.net").get("/settings").text
    )


def test_tailscale_gets_a_qr_code(opened: Callable[..., FlaskClient]) -> None:
    page = opened(name="a.ts.net", url="https://a.ts.net").post("/settings/pair").text
    assert 'class="qr"' in page
    assert "https://a.ts.net/login" in page


def test_a_page_opened_through_a_tunnel_names_its_own_address(
    opened: Callable[..., FlaskClient],
) -> None:
    client = opened(name="a.ts.net")
    page = client.post("/settings/pair", headers={"Host": "a.ts.net"}).text
    assert "https://a.ts.net/login" in page


def test_the_local_network_shows_both_steps(opened: Callable[..., FlaskClient], lan: Lan) -> None:
    page = opened(lan).post("/settings/pair").text
    assert f"https://{HOME}:3456/login" in page
    assert f"http://{HOME}:3456<" in page
    assert "https://10.8.0.2:3456" in page
    assert lan.fingerprint.replace(":", ":<wbr>") in page
    assert page.count('class="qr"') == 2


def test_without_a_network_settings_say_so(
    opened: Callable[..., FlaskClient], tmp_path: Path
) -> None:
    page = opened(Lan(tmp_path, addresses=lambda: (), names=("box",))).get("/settings").text
    assert "has no local network now" in page
    assert 'class="qr"' not in page


def test_anybody_can_get_the_certificate(opened: Callable[..., FlaskClient], lan: Lan) -> None:
    phone = opened(lan, token="")
    phone.environ_base[PLAIN] = True
    host = {"Host": f"{HOME}:3456"}
    page = phone.get("/certificate", headers=host)
    assert page.status_code == 200
    assert lan.fingerprint.replace(":", ":<wbr>") in page.text
    assert f'href="https://{HOME}:3456/"' in page.text
    assert "pair" not in page.text.lower()
    for name in FILES:
        file = phone.get(f"/certificate/{name}", headers=host)
        assert file.status_code == 200
        assert b"PRIVATE" not in file.data
        assert "Set-Cookie" not in file.headers
        assert f'href="/certificate/{name}"' in page.text
    pem = phone.get("/certificate/clawtap.pem", headers=host).text
    assert ssl.PEM_cert_to_DER_cert(pem) == lan.root
    sheet = re.search(r'href="(/static/[^"]+\.css)"', page.text)
    assert sheet
    assert phone.get(sheet[1], headers=host).status_code == 200


@pytest.mark.parametrize(
    ("agent", "first"), [("iPhone", "profile"), ("iPad", "profile"), ("Android", "certificate")]
)
def test_the_steps_of_this_phone_come_first(
    agent: str, first: str, opened: Callable[..., FlaskClient], lan: Lan
) -> None:
    page = opened(lan).get("/certificate", headers={"User-Agent": agent}).text
    assert re.findall(r'class="choice primary".*?Get the (\w+)', page) == [first]


def test_a_server_without_one_has_no_certificate_page(opened: Callable[..., FlaskClient]) -> None:
    for path in ("/certificate", *(f"/certificate/{name}" for name in FILES)):
        assert opened().get(path).status_code == 404


@pytest.mark.browser
def test_settings_show_that_the_phone_arrived(open_page: Callable[..., Any], fresh: Any) -> None:
    page = open_page("phone", "/settings", server=fresh)
    assert page.locator("ct-arrival").inner_text() == ""
    page.get_by_role("button", name="Pair another device").click()
    page.locator("#pairing .qr").wait_for()
    agent = "Mozilla/5.0 (Linux; Android 15) Chrome/140"
    host = {"Host": "desk.tail1.ts.net", "User-Agent": agent}
    phone = requests.Session()
    assert phone.get(f"{fresh.url}/login", headers=host, timeout=5).ok
    page.get_by_text(
        "Your phone reached this machine (Chrome on Android): it can sign in"
    ).wait_for()
    code = page.locator(".pair-code").inner_text()
    assert phone.post(f"{fresh.url}/api/login", json={"code": code}, headers=host, timeout=5).ok
    assert phone.get(f"{fresh.url}/", headers=host, timeout=5).ok
    page.get_by_text("Chrome on Android is paired now.").wait_for()
    # The code has been used: nobody should scan it again.
    page.locator("#pairing").wait_for(state="detached")
    assert page.get_by_text("Chrome on Android is paired now.").evaluate(IN_SIGHT)
    device = page.locator("#devices li", has_text="Chrome on Android")
    device.get_by_role("button", name="Revoke").wait_for()
    page.get_by_role("button", name="Pair another device").click()
    assert page.locator(".pair-code").inner_text() != code


@pytest.mark.browser
def test_settings_let_go_an_invitation_that_was_used_or_revoked(
    open_page: Callable[..., Any], fresh: Any
) -> None:
    page = open_page("phone", "/settings", server=fresh)

    def invite(name: str) -> str:
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_role("button", name="Make an invitation").click()
        page.locator("#invitations li", has_text=name).wait_for()
        return page.locator(".invitation").inner_text().partition("#pair=")[2]

    login = f"{fresh.url}/api/login"
    assert requests.post(login, json={"code": invite("Anna")}, timeout=5).ok
    page.get_by_text("Anna is paired now.").wait_for()
    page.locator("#pairing").wait_for(state="detached")
    assert page.get_by_text("Anna is paired now.").evaluate(IN_SIGHT)
    assert page.locator("#invitations li").count() == 0
    page.locator("#devices li", has_text="Anna").wait_for()
    invite("Ben")
    page.locator("#people ct-arrival").evaluate(
        """async () => {
          const revoke = document.querySelector("#invitations form").action;
          await fetch(revoke, { method: "POST", redirect: "manual" });
        }"""
    )
    page.get_by_text("This code is no longer valid.").wait_for()
    page.locator("#pairing").wait_for(state="detached")


@pytest.mark.browser
def test_nothing_moves_once_it_is_known_whether_there_are_notifications(
    open_page: Callable[..., Any], fresh: Any
) -> None:
    page = open_page("phone", "/settings", server=fresh, workers="allow")
    known = page.locator("ct-push[data-known]")
    pair = page.get_by_role("button", name="Pair another device")
    known.wait_for()
    top = "button => Math.round(button.getBoundingClientRect().top + scrollY)"
    after = pair.evaluate(top)
    held: list[Any] = []
    page.route("**/api/push", lambda route: held.append(route))
    with page.expect_request("**/api/push"):
        page.reload()
    assert known.count() == 0
    assert pair.evaluate(top) == after
    assert not page.get_by_role("button", name="Turn on notifications").is_visible()
    held.pop().continue_()
    known.wait_for()
    assert pair.evaluate(top) == after


@pytest.mark.browser
def test_a_private_window_says_that_it_has_no_notifications(
    open_page: Callable[..., Any], fresh: Any
) -> None:
    page = open_page("phone", "/settings", server=fresh, expected="incognito mode", workers="allow")
    page.context.grant_permissions(["notifications"])
    page.get_by_role("button", name="Turn on notifications").click()
    page.get_by_text("refuses notifications here; a private window has none").wait_for()
