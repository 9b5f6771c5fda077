"""The pages of toy machines and of hubs, for a browser without scripts."""

from __future__ import annotations

import re

import pytest
from patience import until
from toy_fleet import QUICK

from clawtap_core.config import Settings
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.fleet.key_file import write_key
from clawtap_core.fleet.view import FleetView
from clawtap_core.runtime import open_hub
from clawtap_core.server.app import create_app
from clawtap_core.server.devices import Devices
from webui.plugin import register_routes

TOKEN = "token-of-the-pages"


def browser(transport_for, settings, **options):
    """A browser without scripts that is logged in."""
    devices = Devices(settings.data_dir / "devices.json", TOKEN)
    app = create_app(transport_for, settings, devices=devices, extend=register_routes, **options)
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {TOKEN}"
    client.environ_base["HTTP_ACCEPT"] = "text/html"
    return client


@pytest.fixture
def page_of(tmp_path):
    """The pages of a toy machine."""
    return lambda machine: browser(machine.for_actor, machine.settings)


@pytest.fixture
def hub(tmp_path, fleet_key):
    """Makes a hub's view of the fleet, and its pages."""
    opened = []

    def make(key=fleet_key):
        settings = Settings(data_dir=tmp_path / "hub")
        settings.data_dir.mkdir(mode=0o700)
        write_key(settings.fleet_key, key)
        runtime = open_hub(settings)
        view = FleetView(settings, key, runtime, timings=QUICK)
        view.start()
        opened.append((runtime, view))
        pages = browser(
            lambda actor: FleetTransport(view, runtime.transport(actor), actor),
            settings,
            cookie_name=view.access.cookie_name,
        )
        return view, pages

    yield make
    for runtime, view in opened:
        runtime.close()
        view.close()


def choice(html):
    """The names of the machines to choose from, and the one that is chosen."""
    shown = re.search(r'<nav class="segments machines".*?</nav>', html, re.DOTALL)
    if not shown:
        return [], None
    names = re.findall(r"<(?:a|span)([^>]*)>([^<]+)<", shown[0])
    chosen = next((name for attributes, name in names if "aria-current" in attributes), None)
    return [name for _, name in names], chosen


def gone(desk, laptop):
    """End a machine, and wait until the other knows."""
    laptop_id = laptop.fleet.machine.id
    laptop.stop()
    until(lambda: not desk.fleet.online(laptop_id))
    return laptop_id
