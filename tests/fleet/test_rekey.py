"""clawtap fleet rekey: a new key, the machines that get it, and those that are out."""

from __future__ import annotations

import re
import threading
from datetime import datetime, timezone

import pytest
from click.testing import CliRunner
from patience import until
from toy_fleet import meet, prompt_seen, session_seen, start

from clawtap_core.cli.app import cli
from clawtap_core.errors import ClawTapError, NotFound
from clawtap_core.fleet import rekey as rekeying
from clawtap_core.fleet.key_box import BoxBroken, KeyBox, put_into_box
from clawtap_core.fleet.key_file import read_key
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.members import Member
from clawtap_core.fleet.publisher import Publisher
from clawtap_core.fleet.redis_client import check, connect
from clawtap_core.fleet.seal import Seal
from clawtap_core.model import Event, MachineState, PromptState, Response
from clawtap_core.server.hub_access import HubDevices

redis = pytest.mark.redis
NOW = datetime(2026, 11, 24, tzinfo=timezone.utc)


@pytest.fixture
def rekey(isolated_home):
    """Runs `clawtap fleet rekey` on a machine and returns what it prints."""

    def run(machine, *arguments, fails=False):
        folder = str(machine.settings.data_dir)
        result = CliRunner().invoke(cli, ["fleet", "rekey", "--data-dir", folder, *arguments])
        assert (result.exit_code != 0) is fails, result.output
        return result.output

    return run


@redis
def test_machines_that_are_online_get_the_new_key_and_go_on(pair, rekey, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    old = read_key(desk.settings)
    printed = rekey(desk)
    new = read_key(desk.settings)
    assert printed.splitlines()[:2] == [
        f"the fleet {old.fleet} has a new key and is now {new.fleet}",
        "laptop has it",
    ]
    assert new.secret != old.secret
    assert read_key(laptop.settings) == new
    # Both go on without a restart, with the same prompt.
    until(lambda: desk.fleet.problem is None and desk.sees("laptop"))
    meet(desk, laptop)
    ended = until(lambda: answered(desk, session_id, prompt.request_id))
    assert ended.state is PromptState.ANSWERED
    assert laptop.program.decided == ["deploy: Yes"]
    assert not redis_server.keys(f"*{old.fleet}:state*")


def answered(machine, session_id, request_id):
    try:
        return machine.tap.respond(session_id, Response(request_id, "yes"))
    except NotFound:
        return None


@redis
def test_a_machine_that_is_left_out_is_out(machine, rekey, tmp_path):
    desk, laptop, lost = machine("desk"), machine("laptop"), machine("lost")
    meet(desk, laptop, lost)
    session_id = start(desk, tmp_path, "deploy")
    prompt_seen(lost, session_id)
    printed = rekey(desk, "--without", "lost")
    assert "laptop has it\nlost is out\n" in printed
    until(lambda: "has a new key, which this machine did not get" in (lost.fleet.problem or ""))
    until(lambda: desk.sees("laptop") and not desk.sees("lost"))
    with pytest.raises(ClawTapError):
        lost.tap.message(session_id, "hello")
    assert start(lost, tmp_path)  # it works on alone


@redis
def test_a_hub_says_that_the_fleet_has_a_new_key(machine, hub, rekey):
    desk, (view, _) = machine("desk"), hub()
    until(lambda: view.online(desk.fleet.machine.id))
    rekey(desk)
    until(lambda: "has a new key" in (view.problem or ""))
    (seen,) = view.machines()
    assert "desk cannot be reached since" in seen.detail
    assert "run `clawtap fleet leave`" in seen.detail


@redis
def test_a_machine_that_is_left_out_while_it_renews_its_presence_is_out(machine, rekey):
    desk, lost = machine("desk"), machine("lost")
    meet(desk, lost)
    desk_id = desk.fleet.machine.id
    renewing, left_out = threading.Event(), threading.Event()

    def wait_once():
        renewing.set()
        left_out.wait()
        lost.fleet.mirror.meet({desk_id: Member("desk")}, {desk_id: {}})  # read just before

    lost.fleet.on_renew(wait_once)
    renewing.wait()
    assert "lost is out\n" in rekey(desk, "--without", "lost")
    until(lambda: lost.fleet.problem)
    left_out.set()
    until(lambda: "has a new key, which this machine did not get" in (lost.fleet.problem or ""))
    assert not lost.fleet.online(desk_id)


@redis
def test_who_has_the_old_key_cannot_learn_the_new_one(pair, rekey, redis_server, monkeypatch):
    desk, laptop = pair
    old = read_key(desk.settings)
    seen = []
    monkeypatch.setattr(
        rekeying,
        "_remove_old",
        lambda *_: seen.append(
            connect(old.redis_url).hget(Keys(old.fleet).handover, laptop.fleet.machine.id)
        ),
    )
    laptop_id = laptop.fleet.machine.id
    rekey(desk)
    new = read_key(desk.settings)
    place = Keys(old.fleet).handover
    boxed = Seal(old.secret).open(f"{place} {laptop_id}", seen[0])
    assert new.secret not in boxed
    with pytest.raises(BoxBroken):
        KeyBox().open(boxed)


@redis
def test_a_machine_that_is_away_is_told_how_to_join_again(pair, rekey):
    desk, laptop = pair
    laptop.stop()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    printed = rekey(desk)
    new = read_key(desk.settings)
    assert "laptop needs it\non each machine that needs it and each hub run this" in printed
    line = printed.splitlines()[-1]
    assert line.endswith(new.text)
    laptop.start()
    until(lambda: "`clawtap fleet leave`" in (laptop.fleet.problem or ""))
    folder = str(laptop.settings.data_dir)
    for command in (["fleet", "leave"], line.split()[1:]):
        done = CliRunner().invoke(cli, [*command, "--data-dir", folder])
        assert done.exit_code == 0, done.output
    # The server that runs there takes the new key by itself.
    meet(desk, laptop)


@redis
def test_a_machine_cannot_leave_itself_out(pair, rekey):
    desk, _ = pair
    old = read_key(desk.settings)
    for name in ("desk", desk.fleet.machine.id):
        assert "this machine cannot leave itself out" in rekey(desk, "--without", name, fails=True)
    assert read_key(desk.settings) == old


@redis
def test_by_hand_no_machine_gets_the_key(pair, rekey):
    desk, laptop = pair
    old = read_key(desk.settings)
    assert "laptop needs it" in rekey(desk, "--by-hand")
    assert read_key(laptop.settings) == old


@redis
def test_a_message_that_waits_survives_the_new_key(pair, rekey, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    laptop.sleep()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    desk.tap.message(session_id, "still here")
    line = rekey(desk).splitlines()[-1]
    folder = str(laptop.settings.data_dir)
    for command in (["fleet", "leave"], line.split()[1:]):
        CliRunner().invoke(cli, [*command, "--data-dir", folder])
    laptop.wake()
    until(lambda: laptop.program.messages == ["still here"])


def kept_of(redis_server, fleet):
    """What Redis has of a fleet, apart from what a check of commands leaves for seconds."""
    names = (key.split(":")[2] for key in redis_server.keys(f"clawtap:{fleet}:*"))
    return {name for name in names if name != "check"}


@redis
def test_nothing_of_the_old_fleet_stays_in_redis(machine, hub, rekey, tmp_path, redis_server):
    desk, laptop, lost, (view, _) = machine("desk"), machine("laptop"), machine("lost"), hub()
    asleep = machine("asleep")
    meet(desk, laptop, lost, asleep)
    until(lambda: view.online(lost.fleet.machine.id))
    session_id = start(asleep, tmp_path)
    session_seen(desk, session_id)
    asleep.sleep()
    until(lambda: desk.sees("asleep").machine.state is MachineState.AWAY)
    desk.tap.message(session_id, "for later")
    old = read_key(desk.settings)
    devices = HubDevices(tmp_path / "devices.json", view.access.owner_token, view.access)
    devices.add("phone")
    view.on_renew(devices.refresh)

    def old_keys():
        return kept_of(redis_server, old.fleet)

    # A machine that is about to learn it writes once more.
    publish, wrote = Publisher(desk.fleet._redis, desk.fleet.machine.id, desk.tap), []
    follow = desk.fleet._follow_key

    def writes_once_more():
        # Another machine that follows the new key may remove it at once.
        publish.publish(Event("session_status", NOW, "s1", {"id": "s1"}, 1))
        return {"state", "events"} <= old_keys()

    def follow_late():
        if read_key(desk.settings) != old and not wrote:
            until(lambda: redis_server.keys(f"*{old.fleet}:machines") == [])
            until(writes_once_more)
            wrote.append(True)
        follow()

    desk.fleet._follow_key = follow_late
    rekey(desk, "--without", "lost")
    until(lambda: wrote)
    until(lambda: "has a new key" in (lost.fleet.problem or ""))
    until(lambda: "has a new key" in (view.problem or ""))
    devices.add("tablet")  # also later
    until(lambda: old_keys() == {"proof", "handover"})
    # Whoever leaves the old fleet writes nothing there, either.
    folder = str(asleep.settings.data_dir)
    assert CliRunner().invoke(cli, ["fleet", "leave", "--data-dir", folder]).exit_code == 0
    lost.settings.fleet_key.unlink()
    until(lambda: lost.fleet.problem == "this machine left the fleet")
    assert old_keys() == {"proof", "handover"}
    meet(desk, laptop)


@redis
def test_a_name_that_no_machine_has_changes_nothing(pair, rekey):
    desk, _ = pair
    old = read_key(desk.settings)
    assert "machine_not_found" in rekey(desk, "--without", "printer", fails=True)
    assert read_key(desk.settings) == old
    check(connect(old.redis_url), old)


@redis
def test_without_redis_nothing_changes(machine, rekey, redis_server):
    desk = machine("desk", start=False)
    old = read_key(desk.settings)
    redis_server.stop()
    assert "redis_unreachable" in rekey(desk, fails=True)
    assert read_key(desk.settings) == old


def test_without_a_fleet_there_is_no_key(isolated_home, tmp_path):
    result = CliRunner().invoke(cli, ["fleet", "rekey", "--data-dir", str(tmp_path)])
    assert (result.exit_code, "no_fleet" in result.output) == (2, True)


def test_a_box_opens_for_its_machine_only():
    mine, other = KeyBox(), KeyBox()
    boxed = put_into_box("secret", mine.public)
    assert mine.open(boxed) == "secret"
    assert not re.search("secret", boxed)
    for wrong in (boxed, "", "x.y", boxed.replace(".", ""), boxed[:-4]):
        with pytest.raises(BoxBroken):
            other.open(wrong)
    for public in ("", "x", "a" * 44, "é"):
        with pytest.raises(BoxBroken):
            put_into_box("secret", public)
