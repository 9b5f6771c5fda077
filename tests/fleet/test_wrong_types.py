"""Keys of a fleet in which another program, or somebody hostile, left something else."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from patience import until
from toy_fleet import meet, start

from clawtap_core import Response
from clawtap_core.cli.app import cli
from clawtap_core.errors import Unavailable
from clawtap_core.fleet.access import SharedAccess
from clawtap_core.fleet.key_file import read_key
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.redis_client import check, connect

pytestmark = pytest.mark.redis


def spoil(redis_server, name):
    """Replace a key by a list, which no fleet uses."""
    script = "redis.call('del', KEYS[1]); return redis.call('rpush', KEYS[1], 'x')"
    redis_server.cli("eval", script, "1", name)


KEYS = {
    "proof": lambda keys, one: keys.proof,
    "machines": lambda keys, one: keys.machines,
    "state": lambda keys, one: keys.state(one.machine.id),
    "machine": lambda keys, one: keys.machine(one.machine.id),
    "events": lambda keys, one: keys.events(one.machine.id),
    "calls": lambda keys, one: keys.calls(one.machine.id),
    "waiting": lambda keys, one: keys.waiting(one.machine.id),
    "handover": lambda keys, one: keys.handover,
    "replies": lambda keys, one: one.caller.stream,
}


@pytest.mark.parametrize("name", sorted(KEYS))
def test_a_key_of_another_type_is_named_and_its_machine_works_on_alone(
    pair, redis_server, tmp_path, name, caplog
):
    desk, laptop = pair
    key = KEYS[name](Keys(desk.fleet._key.fleet), desk.fleet)
    spoil(redis_server, key)
    ours = start(desk, tmp_path, "ls")
    until(lambda: f"the key {key} in the Redis at" in (desk.fleet.problem or ""))
    assert desk.fleet.problem.endswith("another program wrote it; delete it there")
    prompt = until(lambda: next(iter(desk.tap.pending(ours)), None))
    assert desk.tap.respond(ours, Response(prompt.request_id, "yes")).state.value == "answered"
    redis_server.cli("del", key)
    meet(desk, laptop)
    assert "Traceback" not in caplog.text
    assert "WRONGTYPE" not in caplog.text


@pytest.mark.parametrize("name", ["devices", "codes"])
def test_a_hub_names_a_key_of_another_type(fleet_key, redis_server, name):
    shared = SharedAccess(connect(fleet_key.redis_url), fleet_key)
    key = getattr(Keys(fleet_key.fleet), name)
    spoil(redis_server, key)
    read = shared.read_devices if name == "devices" else shared.read_codes
    with pytest.raises(Unavailable) as caught:
        read()
    assert (caught.value.code, key in caught.value.message) == ("redis_wrong_type", True)


def test_a_key_of_another_type_is_named_before_a_fleet_is_joined(
    fleet_key, redis_server, tmp_path, isolated_home
):
    key = Keys(fleet_key.fleet).machines
    check(connect(fleet_key.redis_url), fleet_key)
    spoil(redis_server, key)
    joining = ["join", fleet_key.text, "--redis", fleet_key.redis_url, "--data-dir", str(tmp_path)]
    result = CliRunner().invoke(cli, ["fleet", *joining])
    assert result.exit_code == 1
    assert f"the key {key} in the Redis at" in result.output
    assert not (tmp_path / "fleet.key").exists()


def test_who_leaves_a_fleet_is_told_which_key_has_another_type(
    machine, redis_server, isolated_home
):
    desk = machine("desk", start=False)
    key = Keys(read_key(desk.settings).fleet).machines
    spoil(redis_server, key)
    folder = str(desk.settings.data_dir)
    result = CliRunner().invoke(cli, ["fleet", "leave", "--data-dir", folder])
    assert f"the key {key} in the Redis at" in result.output
