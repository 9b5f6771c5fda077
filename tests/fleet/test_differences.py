"""Machines whose clocks differ by an hour, and whose versions differ."""

from __future__ import annotations

import time

import pytest
from patience import until
from toy_fleet import meet, prompt_seen, session_seen, start

from clawtap_core import PromptState, Response
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.redis_client import connect
from clawtap_core.fleet.seal import Seal
from clawtap_core.model import MachineState

pytestmark = pytest.mark.redis


@pytest.mark.parametrize("hours", [1, -1])
def test_machines_whose_clocks_differ_answer_and_wait_as_ever(pair, tmp_path, hours):
    desk, laptop = pair

    def differ():
        laptop.fleet.clock = lambda: time.time() + hours * 3600
        until(lambda: abs(laptop.fleet.now() - desk.fleet.now()) < 60_000)

    differ()
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    until(lambda: session_seen(desk, session_id).state.value == "idle")
    laptop.sleep()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    assert desk.tap.message(session_id, "for later").status == "queued"
    laptop.wake()
    differ()
    until(lambda: laptop.program.messages == ["for later"])


def test_what_a_newer_version_adds_is_ignored_and_the_rest_is_shown(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    until(lambda: session_seen(desk, session_id).state.value == "idle")
    key, laptop_id = desk.fleet._key, laptop.fleet.machine.id
    keys, seal, redis = Keys(key.fleet), Seal(key.secret), connect(key.redis_url)
    state, events = keys.state(laptop_id), keys.events(laptop_id)
    field = f"session:{session_id}"
    session = seal.open(f"{state} {field}", redis.hget(state, field))
    newer = {**session, "title": "From the future", "mood": {"colour": "red"}}
    redis.hset(state, field, seal.close(f"{state} {field}", newer))
    for name in ("hologram:1", "mood"):
        redis.hset(state, name, seal.close(f"{state} {name}", {"new": True}))
    redis.xadd(events, {"e": seal.close(events, {"stale": True, "because": "new"})})
    until(lambda: desk.tap.session(session_id).title == "From the future")
    unknown = {"type": "hologram", "at": "2030-01-01T00:00:00+00:00", "sessionId": session_id}
    entry = {**unknown, "data": {"shape": "cube"}, "seq": None, "mood": "red"}
    redis.xadd(events, {"e": seal.close(events, entry)})
    redis.close()
    laptop.tap.rename(session_id, "From here")
    until(lambda: desk.tap.session(session_id).title == "From here")
    meet(desk, laptop)
