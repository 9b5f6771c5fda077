from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from served_process import TOKEN

from clawtap_core.config import Settings
from clawtap_core.server.app import create_app
from clawtap_core.server.auth import public
from clawtap_core.server.connections import PLAIN
from clawtap_core.server.guards import CSP, host_allowed, plain_http
from clawtap_core.server.phone import PhoneAccess
from clawtap_core.system.tailscale import Tailscale

MESSAGE = {"message": "hi"}
SEND = "/api/sessions/s1/message"


@pytest.mark.parametrize(
    "host", ["localhost:3456", "127.0.0.1:3456", "[::1]:3456", "::1", "localhost", "LOCALHOST:9999"]
)
def test_loopback_names_are_let_in(host: str) -> None:
    assert host_allowed(host, Settings())


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:3456",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil@localhost",
        "localhost/evil",
        "192.168.1.5:3456",
        "localhost:port",
        "[::1",
        "",
    ],
)
def test_other_names_are_kept_out(host: str) -> None:
    assert not host_allowed(host, Settings())


def test_allowed_hosts_are_let_in_with_their_port_where_one_is_named() -> None:
    settings = Settings(allowed_hosts=("tap.example", "two.example:8443"))
    assert host_allowed("tap.example", settings)
    assert host_allowed("tap.example:99", settings)
    assert host_allowed("two.example:8443", settings)
    assert not host_allowed("two.example:1", settings)


def test_a_bare_address_is_let_in_where_the_server_listens_everywhere() -> None:
    everywhere = Settings(host="0.0.0.0", insecure=True)
    assert host_allowed("192.168.1.5:3456", everywhere)
    assert host_allowed("[fe80::1]:3456", everywhere)
    assert not host_allowed("evil.example:3456", everywhere)


def test_a_rebound_name_gets_nothing_not_even_health(client: Any, code: Any) -> None:
    for path in ("/healthz", "/api/sessions", "/"):
        answer = client.get(path, headers={"Host": "evil.example:3456"})
        assert (answer.status_code, code(answer)) == (403, "host_not_allowed")
        assert "--allowed-host evil.example" in answer.get_json()["error"]


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost:8000",
        "https://localhost:8000",
        "null",
        "file://",
        "http://localhost.evil.example",
        "chrome-extension://abc",
        "http://[",
    ],
)
def test_another_sites_page_can_do_nothing(client: Any, fake: Any, code: Any, origin: str) -> None:
    for method, path in (("POST", SEND), ("GET", "/api/events"), ("GET", "/api/sessions")):
        answer = client.open(path, method=method, json=MESSAGE, headers={"Origin": origin})
        assert (answer.status_code, code(answer)) == (403, "origin_not_allowed")
    assert fake.said == []


def test_our_own_page_can(client: Any) -> None:
    headers = {"Origin": "http://localhost:3456", "Host": "localhost:3456"}
    assert client.post(SEND, json=MESSAGE, headers=headers).status_code == 200


def test_a_page_behind_a_tunnel_can(fake: Any, devices: Any, settings: Settings) -> None:
    from dataclasses import replace

    from clawtap_core.server.app import create_app

    tunnelled = replace(settings, allowed_hosts=("tap.example",))
    client = create_app(fake.for_actor, tunnelled, devices=devices).test_client()
    for host in ("tap.example", "localhost:3456"):
        answer = client.post(
            "/api/login",
            json={"token": TOKEN},
            headers={"Origin": "https://tap.example", "Host": host},
        )
        assert answer.status_code == 200
        assert "Secure" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_says_comes_from_elsewhere_is_refused(
    client: Any, code: Any, site: str
) -> None:
    for path in ("/api/sessions", "/healthz"):
        answer = client.get(path, headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "cors"})
        assert (answer.status_code, code(answer)) == (403, "origin_not_allowed")


def test_a_link_from_elsewhere_may_be_followed_to_a_page_but_not_to_the_api(client: Any) -> None:
    visit = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    assert client.get("/nothing", headers=visit).status_code == 404
    assert client.get("/api/sessions", headers=visit).status_code == 403
    assert client.post("/nothing", headers=visit).status_code == 403
    assert client.get("/nothing", headers={**visit, "Sec-Fetch-Dest": "iframe"}).status_code == 403


def test_a_form_of_ours_is_vouched_for_by_the_browser(stranger: Any) -> None:
    form = {"token": TOKEN}
    ours = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    assert stranger.post("/api/login", data=form, headers=ours).status_code == 303
    foreign = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}
    assert stranger.post("/api/login", data=form, headers=foreign).status_code == 403


def test_a_forged_form_does_not_answer(stranger: Any, fake: Any) -> None:
    stranger.post("/api/login", json={"token": TOKEN})
    forged = stranger.post(
        "/api/sessions/s1/approve",
        data='{"requestId": "r1"}',
        content_type="text/plain",
        headers={"Origin": "http://evil.example"},
    )
    assert forged.status_code == 403
    assert fake.said == []


def test_every_response_says_what_a_page_may_do(client: Any, stranger: Any) -> None:
    for answer in (client.get("/api/sessions"), stranger.get("/api/sessions"), client.get("/no")):
        assert answer.headers["Content-Security-Policy"] == CSP
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "unsafe" not in CSP
    for path in ("/api/sessions", "/healthz", "/nowhere"):
        assert client.get(path).headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in client.get("/api/sessions").headers


def test_plain_http_serves_only_what_is_meant_for_it(app: Any, fake: Any, code: Any) -> None:
    client = app.test_client()
    client.environ_base.update({PLAIN: True, "HTTP_AUTHORIZATION": f"Bearer {TOKEN}"})
    for path in ("/", "/login", "/healthz", "/nowhere"):
        reply = client.get(path)
        assert (reply.status_code, reply.headers["Location"]) == (303, "/certificate")
        assert "Set-Cookie" not in reply.headers
    for method, path in (("GET", "/api/sessions"), ("POST", "/api/login"), ("POST", "/login")):
        reply = client.open(
            path, method=method, json={"token": TOKEN} if method == "POST" else None
        )
        assert (reply.status_code, code(reply)) == (403, "tls_needed")
        assert "Set-Cookie" not in reply.headers
    assert fake.said == []


def test_plain_http_serves_a_page_that_is_marked_for_it(
    fake: Any, settings: Any, devices: Any
) -> None:
    def extend(app: Any) -> None:
        app.add_url_rule("/help", "help", public(plain_http(lambda: "help")))
        app.add_url_rule("/other", "other", public(lambda: "other"))

    client = create_app(fake.for_actor, settings, devices=devices, extend=extend).test_client()
    client.environ_base[PLAIN] = True
    assert client.get("/help").get_data(as_text=True) == "help"
    assert client.get("/other").headers["Location"] == "/certificate"


def test_the_name_that_tailscale_gave_is_ours(fake: Any, settings: Any, devices: Any) -> None:
    phones = PhoneAccess(settings, ask=lambda port: Tailscale(name="desk.tail1.ts.net"))
    app = create_app(fake.for_actor, settings, devices=devices, phones=phones)
    get = app.test_client().get
    assert get("/healthz", headers={"Host": "desk.tail1.ts.net"}).status_code == 200
    for host in ("other.tail1.ts.net", "desk.tail1.ts.net.evil.example", "192.168.1.5"):
        assert get("/healthz", headers={"Host": host}).status_code == 403


def test_the_local_network_adds_its_addresses_and_names(
    fake: Any, settings: Any, devices: Any
) -> None:
    lan = SimpleNamespace(names=("box", "box.local"), addresses=("192.168.1.5",))
    app = create_app(fake.for_actor, settings, devices=devices, phones=PhoneAccess(settings, lan))
    get = app.test_client().get
    for host in ("192.168.1.5:3456", "[fd00::2]:3456", "box:3456", "BOX.local:3456"):
        assert get("/healthz", headers={"Host": host}).status_code == 200
    assert get("/healthz", headers={"Host": "evil.local:3456"}).status_code == 403
