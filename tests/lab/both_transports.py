"""One agent side, reached in every way: in this process, over HTTP, as part of a fleet."""

from __future__ import annotations

import threading

import pytest
from fake_terminal import Desk, FakeTerminal, Toy, make_adapter
from served_process import TOKEN
from werkzeug.serving import make_server

from clawtap_core.client import HttpTransport
from clawtap_core.config import Settings
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.service import Fleet
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Actor
from clawtap_core.runtime import Runtime
from clawtap_core.server.app import create_app
from clawtap_core.server.devices import Devices


@pytest.fixture
def desk(tmp_path):
    """An agent side whose CLIs are toys."""
    host = Host()
    host.add(make_adapter(), "toy")
    terminal, journal = FakeTerminal(program=Toy()), MemoryJournal()
    agent = Runtime(
        host,
        terminal,
        journal,
        env={"PATH": "/usr/bin:/bin"},
        files=tmp_path / "files",
        rules=tmp_path / "rules.toml",
    )
    yield Desk(terminal, journal, agent)
    agent.close()


@pytest.fixture
def http(desk, tmp_path):
    """The desk over HTTP."""
    settings = Settings(data_dir=tmp_path / "data", token=TOKEN)
    devices = Devices(settings.data_dir / "devices.json", TOKEN)
    app = create_app(desk.agent.transport, settings, devices=devices, record=desk.agent.record)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield HttpTransport(f"http://127.0.0.1:{server.server_port}", TOKEN)
    desk.agent.store.close()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def fleet(desk, redis_server, tmp_path):
    """The desk as the first machine of a fleet."""
    settings = Settings(data_dir=tmp_path / "machine", machine_name="desk")
    joined = Fleet(settings, FleetKey.new(redis_server.url), desk.agent)
    joined.start()
    actor = Actor("user", "local")
    yield FleetTransport(joined, desk.agent.transport(actor), actor)
    desk.agent.store.close()
    joined.close()


@pytest.fixture(params=["direct", "http", pytest.param("fleet", marks=pytest.mark.redis)])
def tap(request, desk):
    """A Transport; every test of the contract runs on all of them."""
    if request.param == "direct":
        return desk.agent.transport(Actor("user", "local"))
    return request.getfixturevalue(request.param)
