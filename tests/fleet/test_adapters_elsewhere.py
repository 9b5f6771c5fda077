"""Adapters that only another machine of the fleet has: they name its sessions everywhere."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from fake_terminal import make_adapter
from fleet_pages import gone
from patience import until
from toy_fleet import meet, session_seen

from clawtap_core import LaunchRequest
from clawtap_core.cli.app import cli
from clawtap_core.errors import BadRequest

pytestmark = pytest.mark.redis


@pytest.fixture
def mixed(machine, tmp_path):
    """A machine with toys, one with robots, and the id of a robot's session."""
    desk, laptop = machine("desk", start=False), machine("laptop", start=False)
    laptop.adapter = make_adapter(adapter_id="robot", name="Grand Robot")
    for each in (desk, laptop):
        each.start()
    meet(desk, laptop)
    session = laptop.tap.start(LaunchRequest("robot", str(tmp_path), message="hello"))
    session_seen(desk, session.id)
    until(lambda: len(desk.tap.adapters()) == 2)
    return desk, laptop, session.id


def test_they_are_known_and_start_nothing_here(mixed, tmp_path):
    desk, *_ = mixed
    own, other = desk.tap.adapters()
    assert (own.info.id, own.elsewhere) == ("toy", False)
    assert (other.info.name, other.elsewhere, other.installed) == ("Grand Robot", True, False)
    for name, adapter in (("desk", "toy"), ("laptop", "robot")):
        (status,) = desk.tap.at(name).adapters()
        assert (status.info.id, status.elsewhere) == (adapter, False)
    with pytest.raises(BadRequest) as caught:
        desk.tap.start(LaunchRequest("robot", str(tmp_path)))
    assert caught.value.code == "unknown_adapter"
    assert desk.tap.at("laptop").start(LaunchRequest("robot", str(tmp_path))).adapter == "robot"


def test_a_row_has_the_name_of_the_cli_also_when_its_machine_went(mixed, page_of):
    desk, laptop, session_id = mixed
    pages = page_of(desk)
    assert "Grand Robot" in pages.get("/").text
    assert "Grand Robot" in pages.get(f"/sessions/{session_id}").text
    wire = pages.get("/api/adapters").json
    assert [(one["id"], one.get("elsewhere")) for one in wire] == [("toy", None), ("robot", True)]
    gone(desk, laptop)
    assert "Grand Robot" in page_of(desk).get("/").text


def test_a_hub_that_never_saw_the_machine_has_the_name_too(mixed, hub):
    desk, laptop, session_id = mixed
    away = gone(desk, laptop)
    view, pages = hub()
    until(lambda: view.mirror.session(session_id))
    assert not view.online(away)
    assert "Grand Robot" in pages.get("/").text
    assert "Grand Robot" in pages.get(f"/sessions/{session_id}").text


def test_only_its_own_machine_offers_to_start_it(mixed, page_of):
    desk, laptop, _ = mixed
    pages = page_of(desk)
    assert "Grand Robot" not in pages.get("/new").text
    assert "Grand Robot" in pages.get(f"/new?machine={laptop.fleet.machine.id}").text
    assert 'id="cli-robot"' not in pages.get("/settings").text


def test_the_command_line_has_the_name(mixed, tmp_path):
    desk, _, session_id = mixed
    runner = CliRunner(env={"HOME": str(tmp_path), "CLAWTAP_TOKEN": "x", "NO_COLOR": "1"})
    listed = runner.invoke(cli, ["ls", "--url", "http://desk"], obj=lambda *where, **more: desk.tap)
    assert listed.exit_code == 0, listed.output
    assert session_id[:8] in listed.stdout
    assert "Grand Robot" in listed.stdout
