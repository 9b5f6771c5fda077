"""Redis and machines that are slow, gone, empty or hostile."""

from __future__ import annotations

import shutil
import time
from contextlib import closing
from dataclasses import replace
from inspect import signature

import pytest
from cryptography.fernet import Fernet
from patience import until
from toy_fleet import QUICK, meet, prompt_seen, session_seen, start

from clawtap_core import Response
from clawtap_core.errors import ClawTapError, NotSupported
from clawtap_core.fleet import operations
from clawtap_core.fleet.call_log import CallLog
from clawtap_core.fleet.key_file import write_key
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.operations import OPERATIONS, perform
from clawtap_core.fleet.seal import Seal, SealBroken
from clawtap_core.model import Actor, PromptState, SessionState
from clawtap_core.transport import Transport

redis = pytest.mark.redis


@redis
def test_without_redis_a_machine_works_on_alone(pair, tmp_path, redis_server):
    desk, laptop = pair
    theirs = start(laptop, tmp_path)
    session_seen(desk, theirs)
    redis_server.stop()
    until(lambda: desk.sees("laptop").machine.state.value == "away")
    assert desk.tap.session(theirs).state is SessionState.LOST
    assert "Redis" in desk.tap.machines()[0].detail
    began = time.monotonic()
    ours = start(desk, tmp_path, "ls")
    prompt = until(lambda: next(iter(desk.tap.pending(ours)), None))
    assert desk.tap.respond(ours, Response(prompt.request_id, "yes")).state is PromptState.ANSWERED
    with pytest.raises(ClawTapError) as caught:
        desk.tap.message(theirs, "hello")
    assert caught.value.code == "machine_away"
    assert time.monotonic() - began < 10
    redis_server.start()
    meet(desk, laptop)
    until(lambda: desk.tap.session(theirs).state is SessionState.IDLE)
    until(lambda: session_seen(laptop, ours).state is SessionState.IDLE)


@redis
def test_a_paused_redis_holds_up_nothing_of_this_machine(pair, tmp_path, redis_server):
    desk, laptop = pair
    theirs = start(laptop, tmp_path)
    session_seen(desk, theirs)
    redis_server.pause()
    try:
        ours = start(desk, tmp_path, "ls")
        prompt = until(lambda: next(iter(desk.tap.pending(ours)), None))
        ended = desk.tap.respond(ours, Response(prompt.request_id, "yes"))
        assert ended.state is PromptState.ANSWERED
        assert {one.id for one in desk.tap.sessions()} == {ours, theirs}
        until(lambda: desk.sees("laptop").machine.state.value == "away")
    finally:
        redis_server.resume()
    meet(desk, laptop)
    until(lambda: session_seen(laptop, ours).state is SessionState.IDLE)


def works_alone(desk, tmp_path, why, theirs):
    """A prompt of this machine is answered, and that of the other machine is out of reach."""
    until(lambda: why in (desk.tap.machines()[0].detail or ""))
    until(lambda: desk.sees("laptop").machine.state.value == "away")
    assert "cannot be reached since" in desk.sees("laptop").detail
    began = time.monotonic()
    ours = start(desk, tmp_path, "ls")
    prompt = until(lambda: next(iter(desk.tap.pending(ours)), None))
    assert desk.tap.respond(ours, Response(prompt.request_id, "yes")).state is PromptState.ANSWERED
    assert desk.tap.session(theirs).state is SessionState.LOST
    open_prompt = next(one for one in desk.tap.pending() if one.session_id == theirs)
    with pytest.raises(ClawTapError) as caught:
        desk.tap.respond(theirs, Response(open_prompt.request_id, "yes"))
    assert caught.value.code == "machine_away"
    assert time.monotonic() - began < 10
    return open_prompt


def comes_back(desk, laptop, prompt):
    """The prompt of the other machine stands there once, and is answered once."""
    meet(desk, laptop)
    until(lambda: [one.request_id for one in desk.tap.pending()] == [prompt.request_id])
    until(lambda: desk.tap.session(prompt.session_id).state is SessionState.WAITING)
    ended = desk.tap.respond(prompt.session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    assert laptop.program.decided == ["deploy: Yes"]


@redis
def test_a_full_redis_is_named_and_holds_up_nothing(pair, tmp_path, redis_server):
    desk, laptop = pair
    theirs = start(laptop, tmp_path, "deploy")
    prompt_seen(desk, theirs)
    redis_server.cli("config", "set", "maxmemory", "1")
    prompt = works_alone(desk, tmp_path, "is full; raise its maxmemory", theirs)
    redis_server.cli("config", "set", "maxmemory", "0")
    comes_back(desk, laptop, prompt)


@redis
def test_a_redis_that_takes_nothing_for_a_while_holds_up_nothing(pair, tmp_path, redis_server):
    desk, laptop = pair
    theirs = start(laptop, tmp_path, "deploy")
    prompt_seen(desk, theirs)
    redis_server.cli("client", "pause", "3600000", "write")
    prompt = works_alone(desk, tmp_path, "Redis", theirs)
    redis_server.cli("client", "unpause")
    comes_back(desk, laptop, prompt)


@redis
def test_a_redis_that_begins_to_evict_is_named_once_it_lost_something(pair, tmp_path, redis_server):
    desk, laptop = pair
    theirs = start(laptop, tmp_path, "deploy")
    prompt_seen(desk, theirs)
    redis_server.cli("config", "set", "maxmemory-policy", "allkeys-random")
    redis_server.cli("config", "set", "maxmemory", "1")
    until(lambda: not redis_server.keys("*state*"))
    redis_server.cli("config", "set", "maxmemory", "100mb")
    prompt = works_alone(desk, tmp_path, "set maxmemory-policy noeviction", theirs)
    redis_server.cli("config", "set", "maxmemory-policy", "noeviction")
    comes_back(desk, laptop, prompt)


@redis
def test_clients_get_a_snapshot_after_redis_was_emptied(pair, tmp_path, redis_server):
    desk, laptop = pair
    theirs = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, theirs)
    with closing(desk.tap.events(idle=0.2)) as events:
        assert next(events).type == "snapshot"
        redis_server.cli("flushall")
        opened = []
        for event in events:
            opened += [event.data] if event and event.type == "approval_required" else []
            if event and event.type == "snapshot" and desk.sees("laptop").pending:
                break
    assert [one["requestId"] for one in event.data["prompts"]] == [prompt.request_id]
    assert opened == []


@redis
def test_what_an_emptied_redis_lost_comes_back_by_itself(pair, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    before = prompt_seen(desk, session_id)
    redis_server.cli("flushall")
    until(lambda: redis_server.keys("*state*"))
    meet(desk, laptop)
    until(lambda: [one.request_id for one in desk.tap.pending()] == [before.request_id])
    ended = desk.tap.respond(session_id, Response(before.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    assert laptop.program.decided == ["deploy: Yes"]


@redis
def test_an_emptied_redis_makes_no_machine_forget_the_others(pair, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    laptop.stop()
    redis_server.cli("flushall")
    # The desk has read all of the emptied Redis once it has published its own state there.
    until(lambda: redis_server.keys("*state*"))
    until(lambda: laptop.fleet.machine.id in desk.fleet.mirror.positions())
    assert desk.tap.session(session_id).state is SessionState.LOST
    assert desk.sees("laptop").machine.state.value == "away"
    laptop.start()
    until(lambda: desk.sees("laptop").machine.state.value == "online")


@redis
def test_redis_holds_nothing_that_can_be_read(pair, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "wipe the secret disk")
    prompt = prompt_seen(desk, session_id)
    desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    redis_server.cli("save")
    dumped = (redis_server.folder / "dump.rdb").read_bytes()
    assert b"gAAAA" in dumped
    assert not [word for word in (b"secret", b"wipe", b"laptop", b"desk") if word in dumped]


@redis
def test_values_that_nobody_of_the_fleet_sealed_change_nothing(pair, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    keys = Keys(desk.fleet._key.fleet)
    laptop_id, stranger = laptop.fleet.machine.id, Seal(Fernet.generate_key().decode())
    call = {"id": "1", "deadline": 9e15, "actor": {}, "operation": "respond", "arguments": {}}
    for sealed in ("x", "", "{}", stranger.close(keys.calls(laptop_id), call).decode()):
        redis_server.cli("xadd", keys.calls(laptop_id), "*", "c", sealed)
        redis_server.cli("xadd", keys.events(laptop_id), "*", "e", sealed)
        redis_server.cli("xadd", desk.fleet.caller.stream, "*", "i", "1", "r", sealed)
        redis_server.cli("hset", keys.state(laptop_id), "session:evil", sealed)
        redis_server.cli("hset", keys.machines, "evil", sealed)
    redis_server.cli("hset", keys.machines, "../../evil", "x")
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    assert [one.id for one in desk.tap.sessions()] == [session_id]
    assert [one.machine.name for one in desk.tap.machines()] == ["desk", "laptop"]


@redis
def test_a_call_that_is_sent_twice_counts_once(pair, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    caught = []
    send = desk.fleet.caller._client.xadd

    def twice(stream, fields, **options):
        caught.append((stream, dict(fields)))
        send(stream, fields, **options)
        return send(stream, fields, **options)

    desk.fleet.caller._client.xadd = twice
    assert desk.tap.message(session_id, "once").status == "sent"
    del desk.fleet.caller._client.xadd
    (stream, fields), *_ = caught
    send(stream, fields)
    until(lambda: redis_server.cli("xlen", stream) == "0")
    assert laptop.program.messages == ["once"]


def test_a_call_begins_once_and_not_after_its_deadline(tmp_path):
    log = CallLog(tmp_path / "calls.db")
    assert log.begin("a", deadline=1000, now=500)
    with pytest.raises(KeyError):
        log.begin("a", deadline=1000, now=600)
    assert not log.begin("late", deadline=1000, now=1000)
    log.close()
    log = CallLog(tmp_path / "calls.db")
    with pytest.raises(KeyError):
        log.begin("a", deadline=1000, now=600)
    # Forgotten, and still not carried out, even if the time is set back.
    assert not log.begin("a", deadline=1000, now=2000)
    assert not log.begin("a", deadline=1000, now=600)
    assert log.begin("b", deadline=3000, now=600)
    log.close()


@redis
def test_an_operation_that_the_owner_does_not_know_is_said_with_its_version(pair, tmp_path):
    desk, laptop = pair
    start(laptop, tmp_path)
    with pytest.raises(NotSupported) as caught:
        desk.fleet.call(laptop.fleet.machine.id, Actor(), "teleport", {})
    assert (caught.value.status, caught.value.code) == (501, "unknown_operation")
    assert caught.value.details["version"]


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_unsound_arguments_are_refused_before_anything_is_done(operation):
    for arguments in (None, [], {"self": 1}, *unsound(operation)):
        with pytest.raises(ClawTapError) as caught:
            perform(None, operation, arguments, "1")
        assert caught.value.status == 400
    with pytest.raises(NotSupported):
        perform(None, operation, {"newer": 1}, "1")


def unsound(operation):
    """Arguments of an operation, each of a type that it does not have."""
    return [{name: object()} for name in signature(getattr(Transport, operation)).parameters]


@redis
def test_what_an_older_machine_cannot_do_is_said_and_the_rest_works(pair, tmp_path, monkeypatch):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    monkeypatch.setattr(operations, "OPERATIONS", OPERATIONS - {"archive", "rules"})
    monkeypatch.setattr("clawtap_core.fleet.calls.__version__", "0.0.9")
    at_laptop = desk.tap.at("laptop")
    for use in (lambda: desk.tap.archive(session_id, True), at_laptop.rules):
        with pytest.raises(NotSupported) as caught:
            use()
        assert "runs ClawTap 0.0.9, which cannot do this" in caught.value.message
        assert caught.value.details == {"version": "0.0.9"}
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED


def test_a_sealed_value_opens_only_at_its_place():
    seal = Seal(Fernet.generate_key().decode())
    sealed = seal.close("calls:a", {"id": "1"})
    assert seal.open("calls:a", sealed) == {"id": "1"}
    for place, value in (("calls:b", sealed), ("calls:a", b"x"), ("calls:a", None)):
        with pytest.raises(SealBroken):
            seal.open(place, value)


def test_a_damaged_log_of_calls_is_named(tmp_path):
    path = tmp_path / "fleet-calls.db"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(ClawTapError) as caught:
        CallLog(path)
    assert str(path) in caught.value.message
    assert path.read_bytes().startswith(b"no database")


@redis
def test_with_a_damaged_key_a_machine_works_alone_until_the_key_is_there(
    machine, tmp_path, fleet_key
):
    desk = machine("desk", start=False)
    desk.settings.fleet_key.write_bytes(b"\xff not a key")
    desk.start()
    until(lambda: "fleet.key cannot be read" in (desk.tap.machines()[0].detail or ""))
    ours = start(desk, tmp_path, "ls")
    assert until(lambda: desk.tap.pending(ours))
    write_key(desk.settings.fleet_key, fleet_key)
    until(lambda: desk.tap.machines()[0].detail is None)
    meet(desk, machine("laptop"))


@redis
def test_two_machines_of_one_id_are_noticed(machine, tmp_path):
    desk = machine("desk")
    until(lambda: desk.tap.machines()[0].detail is None)
    copy = machine("copy", start=False)
    copy.timings = replace(QUICK, away=0.7)
    # Whoever copies a data folder copies all of it.
    shutil.copytree(desk.settings.data_dir, copy.settings.data_dir, dirs_exist_ok=True)
    copy.start()
    until(lambda: "machine-id" in (copy.tap.machines()[0].detail or ""))
    ours = start(copy, tmp_path, "ls")
    assert until(lambda: copy.tap.pending(ours))
    assert desk.tap.machines()[0].detail is None


@redis
def test_a_session_of_a_copied_machine_is_the_one_that_goes_on(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "ls")
    prompt = prompt_seen(desk, session_id)
    # As the journal of a copied data folder has it.
    lost = replace(laptop.tap.session(session_id), state=SessionState.LOST, machine=None)
    desk.runtime.store.add_session(lost)
    assert desk.tap.session(session_id).machine.name == "laptop"
    assert [(one.id, one.machine.name) for one in desk.tap.sessions()] == [(session_id, "laptop")]
    assert [one.machine.name for one in desk.tap.snapshot().sessions] == ["laptop"]
    assert list(desk.tap.restore(dry_run=True)) == []
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    desk.runtime.store.add_session(replace(lost, id="only-here"))
    assert [one.session.id for one in desk.tap.restore(dry_run=True)] == ["only-here"]


@redis
def test_what_a_machine_keeps_of_its_fleet_is_private(machine):
    desk = machine("desk")
    until(lambda: desk.tap.machines()[0].detail is None)
    files = [path for path in desk.settings.data_dir.iterdir() if path.is_file()]
    assert {"fleet-calls.db", "fleet-calls.db-wal", "fleet-process"} <= {one.name for one in files}
    assert [one.name for one in files if one.stat().st_mode & 0o077] == []
