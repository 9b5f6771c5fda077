"""Redis loses a reply: the connection ends between a command and its reply, or Redis pauses."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace

import pytest
from patience import until
from redis_link import RedisLink
from toy_fleet import QUICK, meet, prompt_seen, session_seen, start

from clawtap_core import PromptState, Response
from clawtap_core.errors import ClawTapError, NotConfirmed
from clawtap_core.fleet.calls import Caller, CallReceiver

pytestmark = pytest.mark.redis
# What Redis says to these: a call that was added, and a call that its machine removed.
ADDED = re.compile(rb"\$\d+\r\n\d+-\d+\r\n")
REMOVED = re.compile(rb".*\*2\r\n:1\r\n:1\r\n", re.DOTALL)


class Line(RedisLink):
    """A line that can end with the next reply of a form, after Redis did what was asked."""

    def __init__(self, path, target):
        self.loses = None
        super().__init__(path, target, self._lose)

    def _lose(self, data):
        if self.loses and self.loses.fullmatch(data):
            self.loses = None
            raise ConnectionResetError
        return data


@pytest.fixture
def lines(redis_server, tmp_path):
    made = [Line(tmp_path / f"{name}.sock", redis_server.socket) for name in ("desk", "laptop")]
    yield made
    for line in made:
        line.restore()
        line.close()


@pytest.fixture
def pair(machine, fleet_key, lines):
    """A desk and a laptop, each with a line of its own."""
    desk, laptop = (
        machine(name, start=False, key=replace(fleet_key, redis_url=line.url))
        for name, line in zip(("desk", "laptop"), lines, strict=True)
    )
    desk.timings = replace(QUICK, call_begins=4.0, message_begins=2.0, call_ends=30.0)
    for each in (desk, laptop):
        each.start()
    yield meet(desk, laptop) or (desk, laptop)
    for line in lines:
        line.restore()
    for each in (desk, laptop):
        each.stop()


def asked(desk, laptop, tmp_path):
    session_id = start(laptop, tmp_path, "deploy")
    return prompt_seen(desk, session_id)


def answer(machine, prompt, option="yes"):
    return machine.tap.respond(prompt.session_id, Response(prompt.request_id, option))


def test_an_answer_is_reported_although_the_reply_to_its_call_was_lost(pair, lines, tmp_path):
    desk, laptop = pair
    prompt = asked(desk, laptop, tmp_path)
    lines[0].loses = ADDED
    assert answer(desk, prompt).state is PromptState.ANSWERED
    assert lines[0].loses is None
    assert laptop.program.decided == ["deploy: Yes"]


def test_an_answer_is_reported_although_its_machine_could_not_reply_at_once(
    pair, lines, tmp_path, monkeypatch
):
    desk, laptop = pair
    prompt = asked(desk, laptop, tmp_path)
    reply = CallReceiver._reply

    def cut_first(*arguments):
        monkeypatch.setattr(CallReceiver, "_reply", reply)
        lines[1].cut()
        threading.Timer(1.5, lines[1].restore).start()
        reply(*arguments)

    monkeypatch.setattr(CallReceiver, "_reply", cut_first)
    began = time.monotonic()
    assert answer(desk, prompt).state is PromptState.ANSWERED
    assert time.monotonic() - began < 15
    assert laptop.program.decided == ["deploy: Yes"]


def test_a_machine_that_does_not_know_who_removed_a_call_says_that_nothing_was_done(
    pair, lines, tmp_path
):
    desk, laptop = pair
    prompt = asked(desk, laptop, tmp_path)
    lines[1].loses = REMOVED
    began = time.monotonic()
    with pytest.raises(ClawTapError) as caught:
        answer(desk, prompt)
    assert (caught.value.status, caught.value.code) == (503, "machine_away")
    assert time.monotonic() - began < 15
    assert laptop.program.decided == []
    until(lambda: desk.fleet.online(laptop.fleet.machine.id))
    meet(desk, laptop)
    assert answer(desk, prompt, "no").state is PromptState.DENIED
    assert laptop.program.decided == ["deploy: No"]


def test_a_message_whose_call_was_lost_so_waits_and_is_sent_once(pair, lines, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    lines[1].loses = REMOVED
    desk.tap.message(session_id, "once")
    until(lambda: laptop.program.messages == ["once"])
    until(lambda: not desk.tap.queue(session_id))
    desk.tap.message(session_id, "twice")
    until(lambda: laptop.program.messages == ["once", "twice"])


@pytest.mark.parametrize("seconds", [1.0, 4.0])
def test_an_answer_counts_once_when_redis_pauses(pair, tmp_path, redis_server, seconds):
    desk, laptop = pair
    prompt = asked(desk, laptop, tmp_path)
    redis_server.cli("client", "pause", str(int(seconds * 1000)), "ALL")
    began = time.monotonic()
    outcome = _outcome(desk, prompt)
    # After three seconds Redis counts as out of reach.
    unknown = ("call_not_confirmed", "machine_away", "redis_unreachable") if seconds > 3 else ()
    assert outcome in (PromptState.ANSWERED, *unknown)
    assert time.monotonic() - began < 15
    # Whatever was said of it: once both are back, it was given, or can be given now.
    until(lambda: _outcome(desk, prompt) in (PromptState.ANSWERED, "already_answered"), 30)
    assert laptop.program.decided == ["deploy: Yes"]


def _outcome(desk, prompt):
    """The state of a prompt after an answer, or the code of the error."""
    try:
        return answer(desk, prompt).state
    except ClawTapError as error:
        return error.code


@pytest.fixture
def held(monkeypatch):
    """Holds calls up once their machine has begun them."""
    reached, go_on = threading.Event(), threading.Event()
    carry_out = CallReceiver._carry_out

    def held_up(*arguments):
        reached.set()
        go_on.wait()
        carry_out(*arguments)

    monkeypatch.setattr(CallReceiver, "_carry_out", held_up)
    yield reached
    go_on.set()


def test_a_short_call_is_given_up_after_seconds(pair, tmp_path, held):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    began = time.monotonic()
    with pytest.raises(NotConfirmed) as caught:
        desk.tap.rename(session_id, "new")
    assert caught.value.code == "call_not_confirmed"
    assert time.monotonic() - began < 12


def test_a_call_ends_with_the_process_that_carries_it_out(pair, tmp_path, held):
    desk, laptop = pair
    prompt = asked(desk, laptop, tmp_path)
    outcomes = []

    thread = threading.Thread(target=lambda: outcomes.append(_outcome(desk, prompt)), daemon=True)
    thread.start()
    assert held.wait(10)
    # As after a kill and a restart: another process is present with the id of the machine.
    laptop.fleet._process = "another"
    until(lambda: outcomes == ["call_not_confirmed"], 15)


def test_an_entry_that_was_added_twice_is_taken_once(pair, tmp_path, monkeypatch):
    desk, laptop = pair
    prompt = asked(desk, laptop, tmp_path)
    client = desk.fleet.caller._client
    add, added = client.xadd, []

    def twice(stream, fields, **options):
        added.append(stream)
        add(stream, fields, **options)
        return add(stream, fields, **options)

    monkeypatch.setattr(client, "xadd", twice)
    assert answer(desk, prompt).state is PromptState.ANSWERED
    monkeypatch.undo()
    assert added
    assert laptop.program.decided == ["deploy: Yes"]
    assert isinstance(desk.fleet.caller, Caller)
