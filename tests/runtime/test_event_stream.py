"""What a reader of the live stream hears."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone

import pytest

from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Event, Screen
from clawtap_core.runtime.state.event_stream import EventStream
from clawtap_core.runtime.state.events import screen_changed

NOW = datetime(2026, 11, 22, tzinfo=timezone.utc)


@pytest.fixture
def stream():
    made = EventStream(MemoryJournal(), lambda _: Event("snapshot", NOW))
    yield made
    made.close()


@pytest.fixture
def bustle(stream):
    """Another session, in which something happens all the time."""
    quiet = threading.Event()

    def happen():
        while not quiet.wait(0.01):
            stream.publish([Event("text_delta", NOW, "loud")])

    thread = threading.Thread(target=happen)
    thread.start()
    yield
    quiet.set()
    thread.join()


@pytest.mark.usefixtures("bustle")
def test_a_reader_of_a_still_session_is_kept_awake_while_another_talks(stream):
    with closing(stream.read(None, "still", False, idle=0.2)) as reader:
        assert next(reader).type == "snapshot"
        assert next(reader) is None


@pytest.mark.usefixtures("bustle")
def test_a_reader_of_a_still_session_hears_of_it_while_another_talks(stream):
    with closing(stream.read(None, "still", False, idle=60)) as reader:
        assert next(reader).type == "snapshot"
        stream.publish([Event("text_delta", NOW, "still")])
        assert next(reader).session_id == "still"


def wrote(text, **more):
    return Event("text_delta", NOW, "s1", {"sessionId": "s1", "text": text, **more})


def heard_now(stream, session=None):
    with closing(stream.read(None, session, False, idle=0.01)) as reader:
        assert next(reader).type == "snapshot"
        return [event.data for event in iter(lambda: next(reader), None)]


def test_a_client_that_joins_mid_turn_gets_the_text_so_far(stream):
    stream.publish([wrote("Hel"), wrote("Hello wor", delta="lo wor")])
    assert (
        heard_now(stream) == heard_now(stream, "s1") == [{"sessionId": "s1", "text": "Hello wor"}]
    )
    assert heard_now(stream, "s2") == []
    with closing(stream.read(None, None, False, idle=60)) as reader:
        stream.publish([wrote("Hello world", delta="ld")])
        kinds = [next(reader) for _ in range(2)]
        assert [event.data.get("text") for event in kinds] == [None, "Hello world"]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("message", {"role": "assistant"}),
        ("session_status", {"state": "idle"}),
        ("session_removed", {}),
    ],
)
def test_a_client_that_joins_after_the_text_does_not_get_it(stream, kind, data):
    stream.publish([wrote("Hello"), Event(kind, NOW, "s1", data)])
    assert heard_now(stream) == []


def test_text_is_still_unfinished_when_the_users_own_message_arrives_late(stream):
    stream.publish([wrote("Hello"), Event("message", NOW, "s1", {"role": "user"})])
    stream.publish([Event("session_status", NOW, "s1", {"state": "busy"})])
    assert [data["text"] for data in heard_now(stream)] == ["Hello"]


def message(role, *texts):
    content = [{"type": "text", "text": text} for text in texts]
    return Event("message", NOW, "s1", {"sessionId": "s1", "role": role, "content": content})


def test_what_a_cli_paints_after_its_message_is_no_text_that_is_being_written(stream):
    with closing(stream.read(None, None, False, idle=60)) as reader:
        assert next(reader).type == "snapshot"
        stream.publish([wrote("It wo"), message("assistant", "It **works**,\nas it should.")])
        stream.publish([wrote("It works, as"), wrote("It works, as it should.")])
        stream.publish([wrote("And now"), message("user", "Go on"), wrote("It works")])
        texts = [next(reader).data.get("text") for _ in range(5)]
    assert texts == ["It wo", None, "And now", None, "It works"]


def shown(revision):
    return screen_changed("s1", replace(Screen.from_text(f"{revision}"), revision=revision), NOW)


def test_a_slow_reader_gets_the_latest_screen_and_all_else(stream):
    with closing(stream.read(None, "s1", True, idle=60)) as reader:
        assert next(reader).type == "snapshot"
        stream.publish([shown(1), Event("text_delta", NOW, "s1"), shown(2)])
        assert next(reader).type == "text_delta"
        assert next(reader).screen.text == "2"


def test_a_screen_is_kept_no_longer_than_somebody_watches(stream):
    watching = stream.read(None, "s1", True, idle=60)
    next(watching)
    stream.publish([shown(1)])
    kept = weakref.ref(next(watching))
    watching.close()
    gc.collect()
    assert kept() is None
