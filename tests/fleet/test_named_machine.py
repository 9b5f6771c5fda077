"""One machine of a fleet is named: it is listed, and things begin there."""

from __future__ import annotations

from contextlib import closing

import pytest
from patience import until
from toy_fleet import prompt_seen, session_seen, start

from clawtap_core import LaunchRequest
from clawtap_core.errors import ClawTapError, Conflict, NotFound
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.fleet.operations import OPERATIONS
from clawtap_core.model import Rule, RuleDecision
from clawtap_core.transport import Transport

pytestmark = pytest.mark.redis


def test_a_session_starts_on_the_machine_that_was_named(pair, tmp_path):
    desk, laptop = pair
    begun = desk.tap.at("laptop").start(LaunchRequest("toy", str(tmp_path), message="hello"))
    assert begun.machine.name == "laptop"
    # It is there at once, also before its event has come.
    assert desk.tap.session(begun.id).machine.name == "laptop"
    assert [one.id for one in laptop.runtime.transport().sessions()] == [begun.id]
    assert not desk.runtime.transport().sessions()


def test_lists_show_what_is_on_the_machine_that_was_named(pair, tmp_path):
    desk, laptop = pair
    ours, theirs = start(desk, tmp_path, "here"), start(laptop, tmp_path, "there")
    for one in (ours, theirs):
        prompt_seen(desk, one)
    for name, session_id in (("desk", ours), (laptop.fleet.machine.id, theirs)):
        there = desk.tap.at(name)
        assert [one.id for one in there.sessions()] == [session_id]
        assert [one.session_id for one in there.pending()] == [session_id]
        snapshot = there.snapshot()
        assert [one.id for one in snapshot.sessions] == [session_id]
        assert [one.session_id for one in snapshot.prompts] == [session_id]


def test_events_of_the_machine_that_was_named_come_alone(pair, tmp_path):
    desk, laptop = pair
    ours, theirs = start(desk, tmp_path), start(laptop, tmp_path)
    session_seen(desk, theirs)
    with closing(desk.tap.at("laptop").events(idle=0.2)) as events:
        assert next(events).type == "snapshot"
        desk.tap.rename(ours, "not this")
        laptop.tap.rename(theirs, "this")
        for event in events:
            assert event is None or event.session_id == theirs
            if event and event.data.get("title") == "this":
                break


def test_what_belongs_to_a_machine_is_that_of_the_one_that_was_named(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    there = desk.tap.at("laptop")
    assert [one.info.id for one in there.adapters()] == ["toy"]
    assert [one.name for one in there.plugins()] == ["toy"]
    assert [one.path for one in there.folders()] == [str(tmp_path)]
    assert there.history().sessions == ()
    found = until(lambda: there.search("toy").sessions)
    assert [one.session_id for one in found] == [session_id]
    assert {one.session_id for one in there.journal().events} == {session_id}
    pane = laptop.terminal.launch(["toy"], owner="", name="x", cwd="/", env={}, cols=80, rows=24)
    laptop.terminal.claim(pane.id, None)
    assert pane.id in [one.pane for one in there.panes()]
    assert there.restore(dry_run=True) == []
    with pytest.raises(ClawTapError):
        there.adopt("%999")


def test_rules_of_another_machine_are_read_tried_and_refused_as_there(pair):
    desk, _ = pair
    there, rule = desk.tap.at("laptop"), Rule("tests", RuleDecision.DENY, tool="Bash")
    assert there.rules().rules == ()
    there.try_rules([rule])
    with pytest.raises(ClawTapError) as theirs:
        there.add_rules([rule])
    with pytest.raises(ClawTapError) as ours:
        desk.tap.at("desk").add_rules([rule])
    assert theirs.value.code == ours.value.code


def test_a_machine_that_nobody_has_is_not_found(pair):
    desk, _ = pair
    with pytest.raises(NotFound) as caught:
        desk.tap.at("printer")
    assert caught.value.code == "machine_not_found"


def test_a_name_that_two_machines_have_is_refused(machine, pair):
    desk, laptop = pair
    machine("laptop-2", name="laptop")
    until(lambda: [one.machine.name for one in desk.tap.machines()].count("laptop") == 2)
    with pytest.raises(Conflict) as caught:
        desk.tap.at("laptop")
    assert laptop.fleet.machine.id in caught.value.message
    assert desk.tap.at(laptop.fleet.machine.id).sessions() == []


def test_a_machine_that_is_away_starts_nothing(pair, tmp_path):
    desk, laptop = pair
    there = desk.tap.at("laptop")
    laptop.stop()
    until(lambda: desk.sees("laptop").machine.state.value == "away")
    with pytest.raises(ClawTapError) as caught:
        there.start(LaunchRequest("toy", str(tmp_path)))
    assert (caught.value.status, caught.value.code) == (503, "machine_away")


def test_the_round_trip_of_the_others_is_measured(pair):
    desk, _ = pair
    own, other = desk.tap.machines(measure=True)
    assert own.round_trip is None
    assert 0 < other.round_trip < 3
    assert desk.tap.machines()[1].round_trip is None


def test_every_method_that_goes_elsewhere_is_an_operation():
    routed = {name for name, one in vars(FleetTransport).items() if hasattr(one, "__wrapped__")}
    routed.discard("__subclasshook__")  # Python wraps its own for a Protocol.
    assert {name.removeprefix("_") for name in routed} <= OPERATIONS


def test_every_operation_is_a_method_of_transport():
    assert all(callable(getattr(Transport, name)) for name in OPERATIONS)
