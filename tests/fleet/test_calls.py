"""Calls that a machine does not begin, and those that Redis does not take."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from patience import until
from redis_link import RedisLink
from toy_fleet import QUICK, keeper, meet, prompt_seen, session_seen, start

from clawtap_core import Kind, PromptForm, PromptState, Response
from clawtap_core.errors import ClawTapError, NotConfirmed, NotFound, Unavailable
from clawtap_core.fleet.call_log import CallLog
from clawtap_core.fleet.calls import Caller, CallReceiver
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.fleet.keys import Keys
from clawtap_core.model import Actor, MachineState

pytestmark = pytest.mark.redis


@pytest.fixture
def line(fleet_key, redis_server, tmp_path):
    """The line of the laptop to Redis."""
    line = RedisLink(tmp_path / "line.sock", redis_server.socket)
    yield line
    line.restore()
    line.close()


@pytest.fixture
def pair(machine, fleet_key, line):
    """A desk that gives up soon, and a laptop whose line can be cut."""
    desk = machine("desk", start=False)
    desk.timings = replace(QUICK, call_begins=0.5, message_begins=0.5, read_ends=0.5)
    desk.start()
    laptop = machine("laptop", key=replace(fleet_key, redis_url=line.url))
    yield meet(desk, laptop) or (desk, laptop)
    line.restore()
    laptop.stop()


def calls_of(machine):
    return Keys(machine.fleet._key.fleet).calls(machine.fleet.machine.id)


def test_a_message_to_a_machine_that_just_died_waits_and_is_sent_once(pair, line, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    line.hang()
    assert desk.fleet.online(laptop.fleet.machine.id)
    sent = desk.tap.message(session_id, "are you there?")
    assert (sent.status, bool(sent.until)) == ("queued", True)
    assert [each.message for each in desk.tap.queue(session_id)] == ["are you there?"]
    line.restore()
    until(lambda: laptop.program.messages == ["are you there?"])
    until(lambda: not desk.tap.queue(session_id))
    desk.tap.message(session_id, "good")
    until(lambda: laptop.program.messages == ["are you there?", "good"])


def test_a_message_goes_after_those_that_wait_also_when_its_machine_is_back(pair, line, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    line.hang()
    desk.tap.message(session_id, "first")
    line.restore()
    desk.tap.message(session_id, "second")
    until(lambda: laptop.program.messages == ["first", "second"])


def test_an_answer_that_a_machine_does_not_begin_is_not_given(pair, line, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    line.hang()
    with pytest.raises(Unavailable) as caught:
        desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert (caught.value.code, caught.value.message) == ("machine_away", "laptop does not answer")
    assert redis_server.cli("xlen", calls_of(laptop)) == "0"
    line.restore()
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "no"))
    assert ended.state is PromptState.DENIED
    assert laptop.program.decided == ["deploy: No"]


@pytest.fixture
def held(monkeypatch):
    """Holds a call up on its machine, before a method or after it."""
    go_on = threading.Event()

    def hold(owner, name, *, after=False):
        reached, method = threading.Event(), getattr(owner, name)

        def wait():
            reached.set()
            go_on.wait()

        def held_up(*arguments):
            if not after:
                wait()
            result = method(*arguments)
            if after:
                wait()
            return result

        monkeypatch.setattr(owner, name, held_up)
        return reached, go_on

    yield hold
    go_on.set()


def answer_soon(machine, prompt):
    """Answer in a thread; its outcome comes into the list."""
    outcomes = []

    def answer():
        try:
            response = Response(prompt.request_id, "yes")
            outcomes.append(machine.tap.respond(prompt.session_id, response).state)
        except ClawTapError as error:
            outcomes.append(error.code)

    threading.Thread(target=answer, daemon=True).start()
    return outcomes


def test_a_call_that_its_machine_has_read_is_not_begun_once_it_was_withdrawn(pair, tmp_path, held):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    reached, go_on = held(CallLog, "begin", after=True)
    outcomes = answer_soon(desk, prompt)
    reached.wait()
    until(lambda: outcomes == ["machine_away"])
    go_on.set()
    # A second answer is received after the first.
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "no"))
    assert ended.state is PromptState.DENIED
    assert laptop.program.decided == ["deploy: No"]


def test_a_call_that_its_machine_has_begun_is_not_withdrawn(pair, tmp_path, held, monkeypatch):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    withdrawals, withdraw = [], Caller._withdraw

    def noted(*arguments):
        withdrawals.append(withdraw(*arguments))
        return withdrawals[-1]

    monkeypatch.setattr(Caller, "_withdraw", noted)
    reached, go_on = held(CallReceiver, "_carry_out")
    outcomes = answer_soon(desk, prompt)
    reached.wait()
    until(lambda: withdrawals == [False])
    go_on.set()
    until(lambda: outcomes == [PromptState.ANSWERED])
    assert laptop.program.decided == ["deploy: Yes"]


def test_a_question_goes_to_the_next_machine_if_one_does_not_answer(
    pair, machine, hub, line, monkeypatch
):
    desk, _ = pair
    monkeypatch.setattr("fleet_pages.QUICK", desk.timings)
    view, _ = hub()
    tap = FleetTransport(view, view._local.transport(Actor()), Actor())
    until(lambda: all(view.online(one.fleet.machine.id) for one in pair))
    desk.stop()
    server = machine("server")  # after the laptop, by its name
    until(lambda: view.online(server.fleet.machine.id) and not view.online(desk.fleet.machine.id))
    line.hang()
    asked = tap.ask(PromptForm(Kind.PERMISSION, "Deploy?"))
    until(lambda: keeper(tap, asked) == "server")
    with pytest.raises(Unavailable) as caught:
        tap.at("laptop").ask(PromptForm(Kind.PERMISSION, "Deploy there?"))
    assert caught.value.message == "laptop does not answer"


def test_a_full_redis_takes_no_call_and_that_is_certain(pair, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    redis_server.cli("config", "set", "maxmemory", "1")
    # Until the next renewal it counts as connected.
    errors = [refusal(desk.fleet.caller, laptop, prompt) for _ in range(2)]
    assert {(error.status, error.code) for error in errors} == {(503, "redis_full")}
    assert "is full; raise its maxmemory" in errors[0].message
    redis_server.cli("config", "set", "maxmemory", "0")
    meet(desk, laptop)
    assert laptop.program.decided == []


def test_a_redis_that_is_gone_has_no_call(pair, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    redis_server.stop()
    error = refusal(desk.fleet.caller, laptop, prompt)
    assert (error.status, error.code) == (503, "redis_unreachable")
    redis_server.start()
    meet(desk, laptop)
    assert laptop.program.decided == []


def test_a_key_of_calls_with_something_else_in_it_is_named(pair, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    redis_server.cli("set", calls_of(laptop), "x")
    error = refusal(desk.fleet.caller, laptop, prompt)
    assert (error.status, error.code) == (503, "redis_wrong_type")
    assert f"the key {calls_of(laptop)} in the Redis at" in error.message
    until(lambda: calls_of(laptop) in (laptop.fleet.problem or ""))
    redis_server.cli("del", calls_of(laptop))
    meet(desk, laptop)


def refusal(caller, laptop, prompt):
    arguments = {
        "session_id": prompt.session_id,
        "response": Response(prompt.request_id, "yes"),
    }
    with pytest.raises(Unavailable) as caught:
        caller.call(laptop.fleet.machine.id, "laptop", Actor(), "respond", arguments)
    return caught.value


def test_without_a_reply_of_redis_it_is_not_known_whether_a_call_was_carried_out(
    pair, tmp_path, redis_server
):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    redis_server.pause()
    try:
        with pytest.raises(NotConfirmed) as caught:
            desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
        assert caught.value.code == "call_not_confirmed"
    finally:
        redis_server.resume()


def test_a_waiting_message_that_was_taken_back_is_no_longer_there(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    laptop.sleep()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    sent = desk.tap.message(session_id, "never")
    desk.tap.take_back(session_id, sent.message_id)
    for change in (
        lambda: desk.tap.take_back(session_id, sent.message_id),
        lambda: desk.tap.edit_queued(session_id, sent.message_id, "changed"),
        lambda: desk.tap.take_back(session_id, "no-such-id"),
    ):
        with pytest.raises(NotFound) as caught:
            change()
        assert caught.value.code == "message_not_found"


def test_a_message_in_the_queue_of_a_machine_that_is_away_is_out_of_reach(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "go on?")
    prompt_seen(desk, session_id)
    sent = desk.tap.message(session_id, "later")
    until(lambda: desk.tap.queue(session_id))
    laptop.sleep()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    with pytest.raises(Unavailable) as caught:
        desk.tap.take_back(session_id, sent.message_id)
    assert caught.value.code == "machine_away"
