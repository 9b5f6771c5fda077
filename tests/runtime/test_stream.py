"""What a reader of the live stream hears."""

from __future__ import annotations

import threading
from contextlib import closing
from datetime import datetime, timezone

import pytest

from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Event
from clawtap_core.runtime.state.event_stream import EventStream

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
