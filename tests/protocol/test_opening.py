"""A CLI that never becomes ready: its session says why, and ends."""

from __future__ import annotations

import sys

import pytest
from fake_terminal import until
from full_journal import FullJournal

from clawtap_core.errors import Unavailable
from clawtap_core.protocol import Child
from clawtap_core.runtime.protocol import manager
from clawtap_core.runtime.protocol import session as protocol_session
from clawtap_core.runtime.protocol.manager import ProtocolSessions
from clawtap_core.runtime.timings import Timings
from clawtap_core.system.processes import process

pytestmark = pytest.mark.process


@pytest.fixture
def over(room):
    """Starts the CLI, and waits until its session has ended: the session, and its events."""

    def start(how):
        session = room.start("a message", args=(how,))
        until(lambda: room.state(session) == "ended")
        return room.transport.session(session), room.happened("session_error")

    return start


def test_a_cli_that_exits_at_once_says_its_last_words(over):
    session, (error,) = over("exiting")
    assert error["code"] == "not_started"
    assert error["error"].startswith("the CLI ended with status 1")
    assert error["error"].endswith("cannot begin")
    assert "cannot begin" in session.detail


def test_a_program_that_cannot_be_run_leaves_nothing_behind(room, monkeypatch):
    program = room.folder / "program"
    program.write_text("#!/nowhere/at/all\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(Unavailable, match="could not be started"):
        room.start("a message")
    assert room.transport.sessions() == []


@pytest.mark.parametrize("timings", [Timings(protocol_opens=0.5)])
def test_a_cli_that_never_answers_is_ended_and_its_session_says_so(over):
    session, (error,) = over("silent")
    assert error["code"] == "no_answer"
    assert error["error"].startswith("the CLI did not answer within 0.5 s")
    assert error["error"].endswith("ready"), "what it wrote to stderr"
    assert session.detail == error["error"]


def test_a_cli_that_refuses_to_begin_is_ended(over):
    session, errors = over("refusing")
    assert [(error["code"], error["error"]) for error in errors] == [("no_login", "log in first")]
    assert session.detail == protocol_session.REFUSED


def test_the_message_of_a_cli_that_never_began_stays_queued(over, room):
    session, _ = over("exiting")
    assert [each.message for each in room.transport.queue(session.id)] == ["a message"]
    assert len(room.adapter.requests) == 1, "it is not started over and over"


def test_a_cli_that_ended_before_its_message_was_queued_is_not_started_again(room, monkeypatch):
    start = ProtocolSessions.start

    def start_slowly(sessions, request):
        session, includes_message = start(sessions, request)
        until(lambda: sessions.store.session(session.id).state.over)
        return session, includes_message

    monkeypatch.setattr(ProtocolSessions, "start", start_slowly)
    session = room.start("a message", args=("exiting",))
    assert [each.message for each in room.transport.queue(session)] == ["a message"]
    assert room.state(session) == "ended"
    assert len(room.adapter.requests) == 1


@pytest.mark.parametrize("timings", [Timings(protocol_opens=20)])
def test_a_cli_that_answers_in_time_is_let_be(room):
    session = room.idle(room.start())
    assert room.agent.protocols.running[session]._opening.finished.is_set()
    assert not room.happened("session_error")


def test_a_session_may_be_ended_while_its_cli_says_nothing(room):
    session = room.start(args=("silent",))
    room.transport.end(session)
    assert room.state(session) == "ended"
    assert not room.happened("session_error")


def test_a_cli_whose_session_could_not_be_kept_is_ended(open_room, monkeypatch):
    journal, children = FullJournal(), []

    class Noted(Child):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            children.append(self.pid)

    monkeypatch.setattr(manager, "Child", Noted)
    room = open_room(journal=journal)
    journal.full = True
    with pytest.raises(Unavailable, match="disk is full"):
        room.start()
    assert room.transport.sessions() == []
    assert [process(pid) for pid in children] == [None]


def test_a_cli_that_never_answers_is_ended_although_the_disk_is_full(open_room):
    journal = FullJournal()
    room = open_room(journal=journal, timings=Timings(protocol_opens=0.5))
    session = room.start(args=("silent",))
    journal.full = True
    until(lambda: room.state(session) == "ended")
    assert room.agent.protocols.running == {}
    journal.full = False
    room.agent.store.mark(session, "any", 1)
    assert [error["code"] for error in room.happened("session_error")] == ["no_answer"]
