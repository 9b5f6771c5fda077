"""An app around a transport without an agent side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_transport import FakeTransport
from flask import Flask
from flask.testing import FlaskClient
from served_process import TOKEN, Served, StartServer

from clawtap_core.config import Settings
from clawtap_core.server.app import create_app
from clawtap_core.server.devices import Devices
from clawtap_core.server.hook_receiver import HookReceiver

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def fake() -> FakeTransport:
    return FakeTransport()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", token=TOKEN)


@pytest.fixture
def devices(settings: Settings) -> Devices:
    return Devices(settings.data_dir / "devices.json", TOKEN)


@pytest.fixture
def app(fake: FakeTransport, settings: Settings, devices: Devices) -> Flask:
    door = HookReceiver(fake)
    return create_app(fake.for_actor, settings, devices=devices, hooks=door)


@pytest.fixture
def stranger(app: Flask) -> FlaskClient:
    """A client without a token."""
    return app.test_client()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A client with the owner's token in every request."""
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = BEARER["Authorization"]
    return client


@pytest.fixture
def code() -> Callable[[Any], str]:
    """The code of an error response; it must have the one shape of errors."""

    def read(response: Any) -> str:
        reply = response.get_json()
        assert set(reply) <= {"error", "code", "details"}
        assert reply["error"]
        return str(reply["code"])

    return read


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Start servers in processes of their own, with these settings."""
    started: list[Served] = []

    def start(**settings: Any) -> Served:
        served = Served(tmp_path / f"data{len(started)}", **settings)
        started.append(served)
        return served

    yield start
    for served in started:
        served.stop()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that all tests of a module ask."""
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    served.stop()
