"""What a session of another machine writes and shows just now."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest
from cryptography.fernet import Fernet
from patience import until
from toy_fleet import session_seen, start

from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.seal import Seal
from clawtap_core.model import Event, RemoteEvent, ScreenEvent

pytestmark = pytest.mark.redis


@pytest.fixture
def watched(pair, tmp_path):
    """The desk, the laptop, and a session of the laptop that the desk knows."""
    desk, laptop = pair
    session_id = start(laptop, tmp_path)
    session_seen(desk, session_id)
    return desk, laptop, session_id


def write(machine, session_id, text, delta=None, at=None, kind="text_delta"):
    """Have a CLI write a text."""
    data = {"sessionId": session_id, "text": text, "delta": delta or text}
    moment = at or datetime.now(timezone.utc)
    machine.runtime.store.publish_transient(Event(kind, moment, session_id, data))


def listening(redis_server):
    return redis_server.cli("pubsub", "channels", "*live*").split()


def read(events, wanted, do=lambda: None):
    """The first event that is wanted; `do` is done again and again until it comes."""
    for event in events:
        if event and wanted(event):
            return event
        do()
    raise AssertionError("the stream ended")


def test_text_comes_to_who_watches_its_session(watched):
    desk, laptop, session_id = watched
    with closing(desk.tap.events(session_id=session_id, idle=0.1)) as events:
        event = read(
            events,
            lambda event: event.type == "text_delta",
            lambda: write(laptop, session_id, "I think that", delta="that"),
        )
    # In between some may have been left out, so only the whole text is sure.
    assert event.data == {"sessionId": session_id, "text": "I think that"}
    assert isinstance(event, RemoteEvent)


def test_a_piece_without_its_whole_text_is_never_left_out(watched):
    desk, laptop, session_id = watched
    count = 0

    def write_piece():
        nonlocal count
        data = {"sessionId": session_id, "toolCallId": "c", "delta": str(count)}
        now = datetime.now(timezone.utc)
        laptop.runtime.store.publish_transient(Event("tool_call_delta", now, session_id, data))
        count += 1

    def is_piece(event):
        return event.type == "tool_call_delta"

    with closing(desk.tap.events(session_id=session_id, idle=0.1)) as events:
        first = int(read(events, is_piece, write_piece).data["delta"])
        for _ in range(20):
            write_piece()
        following = [int(read(events, is_piece).data["delta"]) for _ in range(20)]
    assert following == list(range(first + 1, first + 21))


def test_the_screen_comes_to_who_watches_it(watched):
    desk, laptop, session_id = watched
    with closing(desk.tap.events(session_id=session_id, screens=True, idle=0.1)) as events:
        next(events)
        now = read(events, lambda event: isinstance(event, ScreenEvent)).screen
        assert now == laptop.tap.screen(session_id)
        laptop.program.asks.append("go on?")
        laptop.desk.show()
        shown = read(
            events,
            lambda event: isinstance(event, ScreenEvent) and "go on?" in event.screen.text,
        )
    assert shown.session_id == session_id
    assert shown.screen == laptop.tap.screen(session_id)


def test_nothing_is_published_while_nobody_watches(watched, redis_server):
    desk, laptop, session_id = watched
    events = desk.tap.events(session_id=session_id, screens=True, idle=0.1)
    next(events)
    until(lambda: len(listening(redis_server)) == 2)
    until(lambda: laptop.runtime.store.watches_screen(session_id))
    events.close()
    until(lambda: listening(redis_server) == [])
    until(lambda: not laptop.runtime.store.watches_screen(session_id))
    redis_server.cli("config", "resetstat")
    write(laptop, session_id, "unheard")
    # It has looked for watchers since then.
    until(lambda: "cmdstat_pubsub" in redis_server.cli("info", "commandstats"))
    assert "cmdstat_publish" not in redis_server.cli("info", "commandstats")


def test_lists_of_all_sessions_do_not_subscribe(watched, redis_server):
    desk, _, _ = watched
    with closing(desk.tap.events(idle=0.1)) as events:
        next(events)
        assert listening(redis_server) == []


def test_a_text_that_comes_after_its_message_is_dropped(watched):
    desk, laptop, session_id = watched
    with closing(desk.tap.events(session_id=session_id, idle=0.1)) as events:
        read(
            events,
            lambda event: event.type == "text_delta",
            lambda: write(laptop, session_id, "begins"),
        )
        now = datetime.now(timezone.utc)
        data = {"sessionId": session_id, "id": "m1", "role": "assistant", "content": []}
        laptop.runtime.store.publish_transient(Event("message", now, session_id, data))
        read(events, lambda event: event.type == "message")
        write(laptop, session_id, "late", at=now - timedelta(seconds=1))
        event = read(
            events,
            lambda event: event.type == "text_delta",
            lambda: write(laptop, session_id, "the next"),
        )
    assert event.data["text"] == "the next"


def test_a_watcher_goes_on_after_redis_was_away(watched, redis_server):
    desk, laptop, session_id = watched
    with closing(desk.tap.events(session_id=session_id, idle=0.1)) as events:
        next(events)
        until(lambda: listening(redis_server))
        redis_server.stop()
        until(lambda: desk.fleet.problem)
        redis_server.start()
        read(
            events,
            lambda event: event.type == "text_delta",
            lambda: write(laptop, session_id, "still here"),
        )


def test_what_nobody_of_the_fleet_sealed_is_not_shown(watched, redis_server):
    desk, laptop, session_id = watched
    channel = Keys(desk.fleet._key.fleet).live(laptop.fleet.machine.id, session_id)
    stranger = Seal(Fernet.generate_key().decode())
    foreign = stranger.close(channel, {"type": "text_delta", "at": "x", "data": {}}).decode()
    with closing(desk.tap.events(session_id=session_id, idle=0.1)) as events:
        next(events)
        until(lambda: listening(redis_server))
        for sealed in ("", "{}", foreign):
            redis_server.cli("publish", channel, sealed)
        event = read(
            events,
            lambda event: event.type == "text_delta",
            lambda: write(laptop, session_id, "true"),
        )
    assert event.data["text"] == "true"
