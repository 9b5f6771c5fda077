"""Messages that wait for a machine that is away, until it is back or a day has passed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from patience import until
from toy_fleet import meet, session_seen, start

from clawtap_core.errors import ClawTapError, Conflict, Impossible, NotConfirmed
from clawtap_core.fleet import waiting_messages
from clawtap_core.fleet.call_log import CallLog
from clawtap_core.fleet.key_file import read_key
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.redis_client import connect
from clawtap_core.fleet.waiting_messages import WaitingMessage, WaitingMessages
from clawtap_core.model import Actor, MachineState, QueuedMessage

pytestmark = pytest.mark.redis


@pytest.fixture
def away(machine, tmp_path):
    """A desk, a laptop that is away, and the session of its CLI, which goes on in its pane."""
    desk, laptop = machine("desk"), machine("laptop")
    meet(desk, laptop)
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    laptop.sleep()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    return desk, laptop, session_id


def texts(machine, session_id):
    return [one.message for one in machine.tap.queue(session_id)]


def errors(machine, session_id):
    events = machine.tap.journal(session_id=session_id, limit=1000).events
    return [event.data["error"] for event in events if event.type == "session_error"]


def test_a_message_waits_and_is_sent_when_its_machine_is_back(away):
    desk, laptop, session_id = away
    sent = desk.tap.message(session_id, "when you are back")
    assert sent.status == "queued"
    (waiting,) = desk.tap.queue(session_id)
    assert (waiting.id, waiting.message) == (sent.message_id, "when you are back")
    assert waiting.until == sent.until > datetime.now(timezone.utc) + timedelta(hours=23)
    assert desk.tap.session(session_id).queued == 1
    assert [one.id for one in desk.tap.snapshot(session_id).queue] == [waiting.id]
    laptop.wake()
    until(lambda: laptop.program.messages == ["when you are back"])
    until(lambda: not desk.tap.queue(session_id))
    queued = next(
        event
        for event in laptop.tap.journal(session_id=session_id).events
        if event.type == "message_queued"
    )
    assert queued.data["messageId"] == sent.message_id
    assert queued.data["device"] == "phone through desk"


def test_a_message_that_is_left_while_the_queue_is_read_does_not_vanish(away, monkeypatch):
    desk, _, session_id = away
    streams, mirror, shown = desk.fleet.streams, desk.fleet.mirror, []
    read, replace_state = streams._state, mirror.replace

    def read_and_leave(machine_id):
        state = read(machine_id)
        if "later" not in texts(desk, session_id):
            desk.tap.message(session_id, "later")
        return state

    def replace_and_look(*state, **counted):
        replaced = replace_state(*state, **counted)
        shown.append(texts(desk, session_id))
        return replaced

    monkeypatch.setattr(streams, "_state", read_and_leave)
    monkeypatch.setattr(mirror, "replace", replace_and_look)
    desk.tap.message(session_id, "sooner")
    until(lambda: len(shown) > 1)
    assert all("later" in queue for queue in shown)
    assert shown[-1] == ["sooner", "later"]


def test_messages_are_sent_in_their_order_and_those_taken_back_are_not(away):
    desk, laptop, session_id = away
    ids = [desk.tap.message(session_id, text).message_id for text in ("one", "two", "three")]
    desk.tap.edit_queued(session_id, ids[0], "first")
    desk.tap.take_back(session_id, ids[1])
    assert texts(desk, session_id) == ["first", "three"]
    with pytest.raises(ClawTapError) as gone:
        desk.tap.take_back(session_id, ids[1])
    assert gone.value.status == 404
    laptop.wake()
    until(lambda: laptop.program.messages == ["first", "three"])
    until(lambda: not desk.tap.queue(session_id))


def test_another_machine_sees_what_waits_and_takes_it_back(away, machine):
    desk, laptop, session_id = away
    server = machine("server")
    meet(desk, server)
    session_seen(server, session_id)
    message_id = desk.tap.message(session_id, "hello").message_id
    until(lambda: texts(server, session_id) == ["hello"])
    server.tap.take_back(session_id, message_id)
    until(lambda: texts(desk, session_id) == [])
    laptop.wake()
    meet(desk, laptop)
    assert laptop.program.messages == []


def test_what_waits_passes_all_rules_of_messages(away):
    desk, laptop, session_id = away
    desk.tap.message(session_id, "later")
    laptop.program.asks.append("go on?")
    laptop.desk.show()
    laptop.wake()
    # It is queued there: nothing but an answer is typed while a prompt is open.
    until(lambda: texts(laptop, session_id) == ["later"])
    until(lambda: [one.until for one in desk.tap.queue(session_id)] == [None])
    assert laptop.program.messages == []


def test_a_message_that_waited_too_long_is_not_sent_and_that_is_said(away, monkeypatch):
    desk, laptop, session_id = away
    monkeypatch.setattr("clawtap_core.fleet.view.WAIT", timedelta(milliseconds=1))
    desk.tap.message(session_id, "too late")
    assert texts(desk, session_id) == ["too late"]
    laptop.wake()
    (error,) = until(lambda: errors(laptop, session_id))
    until(lambda: not desk.tap.queue(session_id))
    assert "a message was not sent: it waited for this machine until" in error
    assert error.endswith("too late")
    assert laptop.program.messages == []


def test_pages_are_told_when_a_message_has_waited_too_long(away, monkeypatch):
    desk, _, session_id = away
    monkeypatch.setattr("clawtap_core.fleet.view.WAIT", timedelta(seconds=1))
    desk.tap.message(session_id, "soon too late")
    events = desk.tap.events(session_id=session_id, idle=0.2)
    snapshots = (event for event in events if event and event.type == "snapshot")
    end = desk.tap.queue(session_id)[0].until
    until(lambda: next(snapshots).at >= end)
    events.close()


def test_a_session_that_ended_meanwhile_reports_what_was_not_sent(away):
    desk, laptop, session_id = away
    desk.tap.message(session_id, "anyone there?")
    laptop.runtime.transport(Actor()).end(session_id)
    laptop.wake()
    until(lambda: errors(laptop, session_id))
    assert "the session has ended" in errors(laptop, session_id)[-1]
    until(lambda: not desk.tap.queue(session_id))


def test_what_cannot_wait_is_refused(away):
    desk, _, session_id = away
    with pytest.raises(ClawTapError) as empty:
        desk.tap.message(session_id, " \n")
    assert empty.value.code == "message_required"
    with pytest.raises(Impossible) as file:
        desk.tap.message(session_id, "look", ["a1"])
    assert file.value.code == "other_machine"


def test_only_so_many_messages_wait(away, monkeypatch):
    desk, _, session_id = away
    monkeypatch.setattr(waiting_messages, "MOST_WAITING", 2)
    for text in ("one", "two"):
        desk.tap.message(session_id, text)
    with pytest.raises(ClawTapError) as many:
        desk.tap.message(session_id, "three")
    assert many.value.status == 429


def test_an_emptied_redis_loses_no_message_and_no_end(away, redis_server):
    desk, laptop, session_id = away
    stays = desk.tap.message(session_id, "stays")
    gone = desk.tap.message(session_id, "gone")
    desk.tap.take_back(session_id, gone.message_id)
    redis_server.cli("flushall")
    key = Keys(desk.fleet._key.fleet).waiting(laptop.fleet.machine.id)
    until(lambda: redis_server.cli("hexists", key, stays.message_id) == "1")
    assert redis_server.cli("hexists", key, f"end:{gone.message_id}") == "1"
    laptop.wake()
    until(lambda: laptop.program.messages == ["stays"])


def test_an_emptied_redis_loses_no_change_that_was_made_elsewhere(away, redis_server):
    desk, laptop, session_id = away
    message_id = desk.tap.message(session_id, "old").message_id
    folder = desk.settings.data_dir / "elsewhere"
    folder.mkdir()
    key = read_key(desk.settings)
    other = WaitingMessages(connect(key.redis_url), key, folder / "fleet-waiting.json")
    machine_id = laptop.fleet.machine.id
    other.edit(machine_id, message_id, "older")
    other.edit(machine_id, message_id, "new")
    redis_server.cli("flushall")
    # The desk may put back what it has before the other process does, and after it.
    until(lambda: texts(desk, session_id))
    other.repair()
    until(lambda: texts(desk, session_id) == ["new"])
    desk.fleet.waiting.repair()  # as it does every few seconds; then it has the change, too
    redis_server.cli("flushall")
    waiting = Keys(key.fleet).waiting(machine_id)
    until(lambda: redis_server.cli("hexists", waiting, message_id) == "1")
    laptop.wake()
    until(lambda: laptop.program.messages == ["new"])


def test_a_message_counts_once_wherever_its_machine_is_killed(away, redis_server):
    desk, laptop, session_id = away
    message_id = desk.tap.message(session_id, "once").message_id
    key = Keys(desk.fleet._key.fleet).waiting(laptop.fleet.machine.id)
    as_it_was = redis_server.cli("hget", key, message_id)
    # Killed before the journal had it: it was taken, and begun.
    desk.fleet.waiting.take(laptop.fleet.machine.id, message_id)
    log = CallLog(laptop.settings.data_dir / "fleet-calls.db")
    assert log.begin(message_id, desk.fleet.now() + 60_000, desk.fleet.now())
    log.close()
    laptop.wake()
    until(lambda: laptop.program.messages == ["once"])
    until(lambda: redis_server.cli("hexists", key, message_id) == "0")
    # Killed after that: Redis still has it, and it is not sent again.
    laptop.sleep()
    redis_server.cli("hset", key, message_id, as_it_was)
    redis_server.cli("hdel", key, f"end:{message_id}")
    laptop.wake()
    until(lambda: redis_server.cli("hexists", key, message_id) == "0")
    assert laptop.program.messages == ["once"]


def test_redis_learns_nothing_of_what_waits(away, redis_server):
    desk, laptop, session_id = away
    desk.tap.message(session_id, "the secret plan")
    key = Keys(desk.fleet._key.fleet).waiting(laptop.fleet.machine.id)
    kept = redis_server.cli("hgetall", key)
    assert "gAAAA" in kept
    assert "secret" not in kept
    assert "phone" not in kept


def test_values_that_nobody_sealed_wait_for_nothing(away, redis_server):
    desk, laptop, session_id = away
    desk.tap.message(session_id, "sealed")
    key = Keys(desk.fleet._key.fleet).waiting(laptop.fleet.machine.id)
    for name in ("evil", "end:evil", ""):
        redis_server.cli("hset", key, name, "{}")
    assert texts(desk, session_id) == ["sealed"]
    laptop.wake()
    until(lambda: laptop.program.messages == ["sealed"])


def waiting(message_id, minutes=60):
    now = datetime.now(timezone.utc)
    end = now + timedelta(minutes=minutes)
    return WaitingMessage(QueuedMessage(message_id, "s1", "text", now, until=end), Actor("u", "p"))


@pytest.fixture
def queue(fleet_key, tmp_path):
    return WaitingMessages(connect(fleet_key.redis_url), fleet_key, tmp_path / "waiting.json")


def test_a_message_ends_once_whoever_is_first(queue):
    queue.add("m1", waiting("a"))
    queue.add("m1", waiting("b"))
    assert queue.take("m1", "a")
    assert not queue.take("m1", "a")
    with pytest.raises(Conflict) as late:
        queue.take_back("m1", "a")
    assert late.value.code == "message_sending"
    with pytest.raises(Conflict):
        queue.edit("m1", "a", "changed")
    queue.take_back("m1", "b")
    assert not queue.take("m1", "b")
    assert [one.message.id for one in queue.taken("m1")] == ["a"]


def test_what_is_remembered_is_forgotten_in_the_end(queue, tmp_path, redis_server):
    old = waiting("old", minutes=-60 * 24 * 8)
    queue.add("m1", old)
    queue.add("m1", waiting("new"))
    queue.take("m1", "new")
    queue.finish("m1", "new")
    assert queue.read("m1") == []
    queue.repair()
    assert (tmp_path / "waiting.json").read_text() == "{}"


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"m1": 7}'])
def test_a_damaged_file_of_copies_stops_nothing(fleet_key, tmp_path, text):
    path = tmp_path / "waiting.json"
    path.write_text(text)
    queue = WaitingMessages(connect(fleet_key.redis_url), fleet_key, path)
    queue.repair()
    queue.add("m1", waiting("a"))
    assert [one.message.id for one in queue.read("m1")] == ["a"]


def test_a_redis_that_takes_nothing_has_no_message(queue, redis_server, tmp_path):
    queue.read = lambda machine: []
    redis_server.cli("config", "set", "maxmemory", "1")
    with pytest.raises(ClawTapError) as full:
        queue.add("m1", waiting("a"))
    redis_server.stop()
    with pytest.raises(ClawTapError) as gone:
        queue.add("m1", waiting("a"))
    assert [error.value.code for error in (full, gone)] == ["redis_full", "redis_unreachable"]
    assert (tmp_path / "waiting.json").read_text() == "{}"


def test_a_redis_that_says_nothing_leaves_it_open_whether_a_message_waits(queue, redis_server):
    queue.add("m1", waiting("a"))
    queue.read = lambda machine: []
    redis_server.pause()
    try:
        with pytest.raises(NotConfirmed):
            queue.add("m1", replace(waiting("b")))
    finally:
        redis_server.resume()
