"""An adapter's peer is guarded as its hooks are."""

from __future__ import annotations

import time

import pytest

from clawtap_core.host.limits import thread_limit
from clawtap_core.host.peer import GuardedPeer
from clawtap_core.host.validation import ResultValidator
from clawtap_core.model import AgentEvent, Response, SessionFacts, Write


class Rough:
    def open(self):
        return "not bytes"

    def receive(self, data):
        yield SessionFacts(mode="plan")
        if data == b"rubbish":
            yield "rubbish"
        if data == b"hang":
            while True:
                time.sleep(0.01)
        if data == b"raise":
            raise KeyError("what")

    def message(self, text):
        raise ValueError("no")

    def answer(self, call, response):
        return Write(b"yes")

    def control(self, action):
        return None


@pytest.fixture
def failures():
    return []


@pytest.fixture
def peer(failures):
    return GuardedPeer(Rough(), thread_limit, 0.3, ResultValidator(), failures.append)


def test_what_a_peer_raises_is_an_event_of_its_session(peer, failures):
    facts, event = peer.receive(b"raise")
    assert facts == SessionFacts(mode="plan")
    assert isinstance(event, AgentEvent)
    assert event.type == "session_error"
    assert "KeyError" in event.data["error"]
    assert isinstance(failures[0], KeyError)
    assert peer.receive(b"fine") == [SessionFacts(mode="plan")]


def test_rubbish_is_left_out_and_reported(peer):
    facts, event = peer.receive(b"rubbish")
    assert facts == SessionFacts(mode="plan")
    assert event.data["code"] == "not_understood"


def test_results_of_the_wrong_type_are_refused(peer, failures):
    assert peer.open() == b""
    assert peer.message("hello") is None
    assert peer.answer("1", Response("r")) == Write(b"yes")
    assert len(failures) == 2


def test_a_peer_that_hung_is_not_called_again(peer):
    peer.receive(b"hang")
    assert peer.receive(b"fine") == []
    assert peer.answer("1", Response("r")) is None


def test_what_is_no_peer_is_refused():
    with pytest.raises(TypeError, match="has no open"):
        GuardedPeer(object(), thread_limit, 1, ResultValidator(), lambda error: None)
