from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, render_template_string
from flask.testing import FlaskClient
from served_process import TOKEN

from clawtap_core.config import Settings
from clawtap_core.server.app import create_app
from clawtap_core.server.auth import public
from clawtap_core.server.context import server_of
from clawtap_core.server.device_arrivals import Arrival
from clawtap_core.server.devices import Devices
from clawtap_core.server.phone import PhoneAccess
from clawtap_core.system.tailscale import Tailscale

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Safari"
THERE = {"Host": "desk.ts.net", "User-Agent": IPHONE}


@pytest.fixture
def app(fake: Any, settings: Settings, devices: Devices) -> Flask:
    phones = PhoneAccess(settings, ask=lambda port: Tailscale(name="desk.ts.net"))

    def add_login(app: Flask) -> None:
        app.add_url_rule("/login", view_func=public(lambda: render_template_string("x")))

    return create_app(fake.for_actor, settings, devices=devices, phones=phones, extend=add_login)


@pytest.fixture
def sentences(app: Flask) -> list[str]:
    """What the terminal says."""
    said: list[str] = []
    server_of(app).arrivals.subscribe(lambda arrival: said.append(arrival.sentence))
    return said


def test_a_phone_is_reported_once_at_each_stage(
    stranger: FlaskClient, client: FlaskClient, sentences: list[str]
) -> None:
    for _ in range(3):
        stranger.get("/login", headers=THERE)
    client.get("/api/sessions", headers=THERE)
    client.get("/api/sessions", headers=THERE)
    assert sentences == [
        "Your phone reached this machine (Safari on iPhone): it can sign in now.",
        "Your phone reached this machine (local): it is signed in.",
    ]


@pytest.mark.parametrize(
    "headers",
    [{"Host": "localhost:3456"}, {"Host": "127.0.0.1:3456"}, {"Host": "[::1]:3456"},
     {"Host": "evil.example"}],
)  # fmt: skip
def test_this_machine_and_refused_hosts_are_no_arrival(
    headers: dict[str, str], client: FlaskClient, app: Flask
) -> None:
    client.get("/api/sessions", headers=headers)
    assert server_of(app).arrivals.latest() is None


def test_a_stranger_that_tries_the_api_is_no_arrival(stranger: FlaskClient, app: Flask) -> None:
    stranger.get("/api/sessions", headers=THERE)
    stranger.get("/healthz", headers=THERE)
    assert server_of(app).arrivals.latest() is None


def test_this_machine_at_its_own_address_is_no_arrival(
    fake: Any, settings: Settings, devices: Devices
) -> None:
    lan = SimpleNamespace(names=(), addresses=("192.168.1.5",))
    app = create_app(fake.for_actor, settings, devices=devices, phones=PhoneAccess(settings, lan))
    for address, arrives in (("192.168.1.5", False), ("192.168.1.20", True)):
        app.test_client().get(
            "/api/sessions",
            headers={"Host": "192.168.1.5:3456", "Authorization": f"Bearer {TOKEN}"},
            environ_base={"REMOTE_ADDR": address},
        )
        assert (server_of(app).arrivals.latest() is not None) is arrives


def test_strangers_cannot_fill_the_memory(stranger: FlaskClient, app: Flask) -> None:
    arrivals = server_of(app).arrivals
    stranger.get("/login", headers=THERE)
    latest = arrivals.latest()
    assert latest
    for number in range(100):
        arrivals.record(Arrival(f"{number}", True, "page", latest.at))
    assert len(arrivals._arrivals) == 20
