"""Two machines in one list: what runs on one is seen and answered on the other."""

from __future__ import annotations

import threading
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest
from patience import until
from toy_fleet import prompt_seen, session_seen, start

from clawtap_core import PromptState, Response
from clawtap_core.errors import BadRequest, ClawTapError, Conflict, Impossible
from clawtap_core.model import Actor, Cursor, MachineState, SessionState

pytestmark = pytest.mark.redis


def test_sessions_of_both_stand_in_one_list_with_their_machines(pair, tmp_path):
    desk, laptop = pair
    ours, theirs = start(desk, tmp_path), start(laptop, tmp_path)
    session_seen(desk, theirs)
    until(lambda: desk.tap.session(theirs).state is SessionState.IDLE)
    places = {one.id: (one.machine.name, one.machine.here) for one in desk.tap.sessions()}
    assert places == {ours: ("desk", True), theirs: ("laptop", False)}
    assert [one.machine.name for one in desk.tap.machines()] == ["desk", "laptop"]
    assert desk.sees("laptop").sessions == 1


def test_a_prompt_is_answered_through_another_machine(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "rm -r build")
    prompt = prompt_seen(desk, session_id)
    assert desk.tap.session(session_id).pending == 1
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    assert laptop.program.decided == ["rm -r build: Yes"]
    assert ended.resolution.device == "phone through desk"
    assert desk.tap.prompt(prompt.request_id).state is PromptState.ANSWERED
    until(lambda: not desk.tap.pending())


def test_the_first_answer_wins_whoever_asks(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    outcomes = []

    def answer(machine, option):
        try:
            tap = machine.for_actor(Actor("user", f"phone of {machine.name}"))
            outcomes.append(tap.respond(session_id, Response(prompt.request_id, option)).state)
        except Conflict as conflict:
            outcomes.append(conflict.code)

    both = [
        threading.Thread(target=answer, args=args) for args in ((desk, "yes"), (laptop, "always"))
    ]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert PromptState.ANSWERED in outcomes
    assert len(laptop.program.decided) == 1
    with pytest.raises(Conflict) as late:
        desk.tap.respond(session_id, Response(prompt.request_id, "no"))
    assert late.value.status == 409
    assert "phone" in late.value.message


def test_an_error_of_the_owner_reaches_who_asked(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    with pytest.raises(BadRequest) as caught:
        desk.tap.respond(session_id, Response(prompt.request_id, "maybe"))
    assert caught.value.code == "not_offered"


def test_messages_go_to_the_other_machine_and_wait_there(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    assert desk.tap.message(session_id, "hello").status == "sent"
    assert laptop.program.messages == ["hello"]
    laptop.program.asks.append("go on?")
    laptop.desk.show()
    prompt_seen(desk, session_id)
    queued = desk.tap.message(session_id, "later")
    assert queued.status == "queued"
    until(lambda: [one.message for one in desk.tap.queue(session_id)] == ["later"])
    desk.tap.edit_queued(session_id, queued.message_id, "much later")
    until(lambda: [one.message for one in desk.tap.queue(session_id)] == ["much later"])
    desk.tap.take_back(session_id, queued.message_id)
    until(lambda: not desk.tap.queue(session_id))


def test_a_session_is_renamed_watched_and_ended_from_elsewhere(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    renamed = desk.tap.rename(session_id, "Build")
    assert (renamed.title, renamed.machine.name) == ("Build", "laptop")
    until(lambda: desk.tap.session(session_id).title == "Build")
    assert desk.tap.screen(session_id).text == laptop.tap.screen(session_id).text
    desk.tap.end(session_id)
    until(lambda: desk.tap.session(session_id).state is SessionState.ENDED)
    desk.tap.end(session_id)
    until(lambda: not desk.tap.sessions())


def test_files_and_rules_stay_on_the_sessions_own_machine(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "ls")
    prompt = prompt_seen(desk, session_id)
    for refused in (
        lambda: desk.tap.attach(session_id, "a.txt", b"a"),
        lambda: desk.tap.restore([session_id]),
        lambda: desk.tap.explain(prompt.request_id),
    ):
        with pytest.raises(Impossible) as caught:
            refused()
        assert caught.value.code == "other_machine"


def test_events_of_both_come_in_one_stream(pair, tmp_path):
    desk, laptop = pair
    with closing(desk.tap.events(idle=0.2)) as events:
        assert next(events).type == "snapshot"
        theirs, ours = start(laptop, tmp_path, "there"), start(desk, tmp_path, "here")
        asked = {}
        for event in events:
            if event and event.type == "approval_required":
                asked[event.session_id] = event.data["description"]
            if len(asked) == 2:
                break
    assert asked == {theirs: "there", ours: "here"}


def read_until(events, wanted):
    """Events up to one that is wanted."""
    read = []
    for event in events:
        if event:
            read.append(event)
            if wanted(event):
                return read
    raise AssertionError("the stream ended")


def test_a_client_goes_on_at_its_place_for_each_machine(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    until(lambda: session_seen(desk, session_id).state is SessionState.IDLE)
    cursor = desk.tap.snapshot().cursor
    assert set(Cursor.parse(cursor).remote) == {laptop.fleet.machine.id}
    laptop.tap.rename(session_id, "First")
    until(lambda: desk.tap.session(session_id).title == "First")
    laptop.tap.rename(session_id, "Second")
    with closing(desk.tap.events(cursor, idle=0.2)) as events:
        read = read_until(events, lambda event: event.data.get("title") == "Second")
    assert [event.data["title"] for event in read] == ["First", "Second"]
    assert all(event.data["machine"]["name"] == "laptop" for event in read)


def test_a_cursor_that_redis_no_longer_has_gets_a_snapshot(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    cursor = Cursor.parse(desk.tap.snapshot().cursor)
    old = str(Cursor(cursor.local, dict.fromkeys(cursor.remote, "1-1")))
    with closing(desk.tap.events(old, idle=0.2)) as events:
        first = read_until(events, lambda event: True)[0]
    assert first.type == "snapshot"
    assert [one["id"] for one in first.data["sessions"]] == [session_id]


def test_a_snapshot_is_made_once_for_all_clients_and_again_when_something_changes(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    until(lambda: session_seen(desk, session_id).state is SessionState.IDLE)

    def first():
        with closing(desk.tap.events(idle=0.2)) as events:
            return next(events)

    assert first() is first()
    laptop.tap.rename(session_id, "Renamed")
    until(lambda: desk.tap.session(session_id).title == "Renamed")
    assert [one["title"] for one in first().data["sessions"]] == ["Renamed"]


def test_a_stream_of_one_session_has_that_session_only(pair, tmp_path):
    desk, laptop = pair
    one, other = start(laptop, tmp_path), start(laptop, tmp_path)
    session_seen(desk, one), session_seen(desk, other)
    with closing(desk.tap.events(session_id=one, idle=0.2)) as events:
        first = next(events)
        assert [each["id"] for each in first.data["sessions"]] == [one]
        laptop.tap.rename(other, "not this")
        laptop.tap.rename(one, "this")
        read = read_until(events, lambda event: event.data.get("title") == "this")
    assert {event.session_id for event in read} == {one}


def test_a_machine_that_stops_is_away_and_comes_back(pair, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    laptop.stop()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    shown = desk.tap.session(session_id)
    assert (shown.state, shown.machine.state) == (SessionState.LOST, MachineState.AWAY)
    assert "laptop cannot be reached since" in shown.detail
    with pytest.raises(ClawTapError) as caught:
        desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert (caught.value.status, caught.value.code) == (503, "machine_away")
    laptop.start()
    until(lambda: desk.sees("laptop").machine.state is MachineState.ONLINE)


def test_it_is_said_since_when_a_machine_is_away_also_after_a_restart(pair):
    desk, laptop = pair
    came = desk.sees("laptop").since
    until(lambda: datetime.now(timezone.utc) > came + timedelta(seconds=1))
    laptop.stop()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    since = desk.sees("laptop").since
    assert since > came
    desk.stop()
    desk.start()
    until(lambda: desk.sees("laptop") and desk.sees("laptop").since)
    assert abs(desk.sees("laptop").since - since) < timedelta(seconds=1)
    assert f"since {since:%Y-%m-%d %H:%M} UTC" in desk.sees("laptop").detail


def test_a_machine_that_left_is_forgotten(pair, redis_server):
    desk, laptop = pair
    laptop.settings.fleet_key.unlink()
    until(lambda: not desk.sees("laptop"))
    assert not redis_server.keys(f"*{laptop.fleet.machine.id}*")
    assert desk.tap.sessions() == []


def test_a_machine_alone_in_its_fleet_says_nothing_of_machines(machine, tmp_path):
    desk = machine("desk")
    session_id = start(desk, tmp_path)
    assert desk.tap.session(session_id).machine is None
    assert [one.machine.name for one in desk.tap.machines()] == ["desk"]
