"""Whatever a CLI says, its session goes on: nothing is raised, and what it asks is asked."""

from __future__ import annotations

import json
from concurrent.futures import Future
from datetime import datetime, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_protocol import SpokenAdapter, SpokenPeer

from clawtap_core.config.settings import same_timeout
from clawtap_core.host import Host
from clawtap_core.host.peer import GuardedPeer
from clawtap_core.host.validation import ResultValidator
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Actor, Response, Session
from clawtap_core.protocol import Link
from clawtap_core.runtime.conversations.reported import ReportedConversations
from clawtap_core.runtime.protocol.session import ProtocolSession
from clawtap_core.runtime.state.offscreen_prompts import OffscreenPrompts
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import DEFAULT_TIMINGS, REAL_TIME

pytestmark = pytest.mark.process

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2)
    ),
    max_leaves=4,
)
CALLS = st.sampled_from(["1", "2", "3"])
LINES = st.one_of(
    st.fixed_dictionaries({"ask": CALLS | JSON, "name": JSON}),
    st.fixed_dictionaries({"take_back": CALLS | JSON}),
    st.fixed_dictionaries({"state": st.sampled_from(["idle", "busy"]) | JSON}),
    st.fixed_dictionaries({"taken": JSON, "error": JSON}),
    st.fixed_dictionaries({"say": JSON, "id": JSON}),
    JSON,
).map(lambda line: json.dumps(line).encode() + b"\n")
RUBBISH = st.binary(max_size=30).map(lambda data: data + b"\n")
OVERSIZE = st.just(b"x" * 200_000 + b"\n")
SAID = st.lists(LINES | RUBBISH | OVERSIZE, max_size=12)


class Pipe:
    """A wire that takes everything."""

    def __init__(self):
        self.written = []

    def write(self, data):
        self.written.append(json.loads(data))
        done = Future()
        done.set_result(None)
        return done


class Room:
    """One session on a wire."""

    def __init__(self):
        host = Host()
        host.add(SpokenAdapter(), "spoken")
        self.store = StateStore(MemoryJournal())
        self.asked = OffscreenPrompts(self.store, same_timeout(0))
        session = Session("s", "spoken", "protocol", "launched", "/", "t", NOON, NOON)
        self.store.add_session(session)
        self.live = ProtocolSession(
            session,
            host.adapter("spoken"),
            self.store,
            self.asked,
            ReportedConversations(self.store),
            named=lambda session_id, name: None,
            settled=lambda live: None,
            over=lambda live, exit_: None,
            timings=DEFAULT_TIMINGS,
            scheduler=REAL_TIME,
        )
        self.pipe = Pipe()
        peer = GuardedPeer(
            SpokenPeer(), lambda seconds, call: call(), 1, ResultValidator(), lambda error: None
        )
        self.link = Link(peer, self.pipe, self.live.on_event)
        self.live._link = self.link

    def hear(self, data):
        self.link.received(data)

    def answer(self, prompt):
        response = Response(prompt.request_id, "yes")
        return self.asked.answer(prompt, response, Actor())


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(SAID, st.integers(1, 70))
def test_a_session_survives_everything_and_loses_no_request(said, size):
    room = Room()
    data = b"".join(said)
    for at in range(0, len(data), size if len(data) < 5000 else 65536):
        room.hear(data[at : at + (size if len(data) < 5000 else 65536)])
    room.hear(b'\n{"ask": "the last", "name": "x"}\n')
    waiting = room.store.open_prompts()
    assert any(prompt.form.description == "x" for prompt in waiting)
    for prompt in waiting:
        assert room.answer(prompt).state.value == "answered"
    answered = [line["answer"] for line in room.pipe.written if "answer" in line]
    assert len(answered) == len(waiting)
    room.asked.close()
