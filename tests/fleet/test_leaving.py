"""A machine that leaves the fleet, and what is left of a fleet that all have left."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from patience import until
from toy_fleet import meet, session_seen, start

from clawtap_core.cli.app import cli
from clawtap_core.fleet.key_file import read_key, write_key
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.redis_client import LOST_VALUES
from clawtap_core.model import MachineState

pytestmark = pytest.mark.redis
DAY = 86_400_000


@pytest.fixture
def leave(isolated_home):
    """Runs `clawtap fleet leave` for a data folder."""

    def run(folder):
        done = CliRunner().invoke(cli, ["fleet", "leave", "--data-dir", str(folder)])
        assert (done.exit_code, "left the fleet" in done.output) == (0, True), done.output

    return run


@pytest.fixture
def lasting(redis_server, fleet_key):
    """The keys of the fleet that Redis keeps until somebody removes them, without its prefix."""
    prefix = f"clawtap:{fleet_key.fleet}:"

    def keys():
        listed = redis_server.keys(f"{prefix}*")
        listed = [key for key in listed if redis_server.cli("pttl", key) == "-1"]
        return sorted(key.removeprefix(prefix) for key in listed)

    return keys


def test_what_is_left_of_a_fleet_goes_a_day_after_its_last_machine_left(
    pair, leave, lasting, fleet_key, redis_server, tmp_path
):
    desk, laptop = pair
    start(desk, tmp_path, "deploy")
    desk.fleet.access.add_device("d1", {"name": "phone"})
    leave(desk.settings.data_dir)
    until(lambda: not laptop.sees("desk"))
    assert {"machines", "proof", "devices"} < {*lasting()}
    leave(laptop.settings.data_dir)
    for each in pair:
        each.stop()
    until(lambda: lasting() == [])
    keys = Keys(fleet_key.fleet)
    for name in (keys.machines, keys.proof, keys.devices):
        assert DAY - 60_000 < int(redis_server.cli("pttl", name)) <= DAY
    assert not redis_server.keys("*:state:*")


def test_who_comes_before_that_keeps_the_fleet(machine, leave, lasting, fleet_key):
    desk = machine("desk")
    until(lambda: desk.fleet.problem is None)
    desk.fleet.access.add_device("d1", {"name": "phone"})
    leave(desk.settings.data_dir)
    desk.stop()
    assert lasting() == []
    server = machine("server")
    until(lambda: server.fleet.problem is None)
    until(lambda: {"machines", "proof", "devices"} < {*lasting()})


@pytest.mark.parametrize("notices", [False, True], ids=["before it notices", "once it noticed"])
def test_a_machine_that_leaves_while_it_publishes_all_again_leaves_nothing(
    notices, machine, leave, lasting, monkeypatch, redis_server, fleet_key
):
    desk = machine("desk")
    until(lambda: desk.fleet.problem is None)
    monkeypatch.setattr(desk.fleet, "_lost", lambda: True)
    until(lambda: desk.fleet.problem == LOST_VALUES, seconds=10)
    leave(desk.settings.data_dir)
    if notices:
        until(lambda: desk.fleet.problem == "this machine left the fleet")
    # A worker has written meanwhile.
    events = Keys(fleet_key.fleet).events(desk.fleet.machine.id)
    redis_server.cli("xadd", events, "*", "is", "late")
    desk.stop()
    assert lasting() == []


def test_a_hub_that_leaves_is_not_listed_among_the_machines(
    machine, hub, leave, lasting, fleet_key, redis_server
):
    desk = machine("desk")
    view, _ = hub()
    until(lambda: view.online(desk.fleet.machine.id))
    machines = Keys(fleet_key.fleet).machines
    leave(view._settings.data_dir)
    assert redis_server.cli("hkeys", machines).split() == [desk.fleet.machine.id]
    assert "machines" in lasting()


def test_a_machine_can_leave_again_after_it_came_back_without_a_restart(
    pair, leave, redis_server, fleet_key
):
    desk, laptop = pair
    key = read_key(desk.settings)
    own = Keys(fleet_key.fleet).of_machine(desk.fleet.machine.id)
    for _ in range(2):
        leave(desk.settings.data_dir)
        until(lambda: not laptop.sees("desk"))
        until(lambda: desk.fleet.problem == "this machine left the fleet")
        assert not {*own} & {*redis_server.keys()}
        assert desk.tap.machines()[1:] == []
        write_key(desk.settings.fleet_key, key)
        until(lambda: laptop.sees("desk"))
        meet(desk, laptop)


def test_what_waits_for_a_machine_that_left_is_out_of_redis_until_it_joins_again(
    pair, leave, redis_server, fleet_key, tmp_path, monkeypatch
):
    desk, laptop = pair
    key, laptop_id = read_key(laptop.settings), laptop.fleet.machine.id
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    laptop.sleep()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    desk.tap.message(session_id, "before it left")
    waiting = desk.fleet.waiting
    (stored,) = waiting.read(laptop_id)
    leave(laptop.settings.data_dir)
    # As if it had been stored before the desk heard of it.
    waiting.add(laptop_id, stored)
    until(lambda: not desk.sees("laptop"))
    until(lambda: not {*Keys(fleet_key.fleet).of_machine(laptop_id)} & {*redis_server.keys()})
    renewals = []
    repair = waiting.repair
    monkeypatch.setattr(waiting, "repair", lambda left: (repair(left), renewals.append(left)))
    until(lambda: len(renewals) > 2)
    assert laptop_id in renewals[-1]
    assert not {*Keys(fleet_key.fleet).of_machine(laptop_id)} & {*redis_server.keys()}
    write_key(laptop.settings.fleet_key, key)
    laptop.wake()
    until(lambda: laptop.program.messages == ["before it left"])
