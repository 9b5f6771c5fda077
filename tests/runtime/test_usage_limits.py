"""A session that reached its usage limit: nothing is sent into it before the limit ends."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fake_terminal import Toy, until
from full_journal import FullJournal
from manual_time import ManualTime

from clawtap_core import SessionState
from clawtap_core.errors import BadRequest, Conflict, Impossible, Unavailable
from clawtap_core.model.moments import utc_now
from clawtap_core.runtime.actions.message_queue import MessageQueue
from clawtap_core.runtime.state import events


class Limited:
    """A desk whose session met a limit; `pass_time` moves all clocks."""

    def __init__(self, open_desk, journal=None, terminal=None):
        self.time, self.toy, self.offset = ManualTime(), Toy(), timedelta()
        self.open_desk = open_desk
        self.desk = self.open(self.toy, journal=journal)
        self.until_state(SessionState.IDLE)

    def open(self, program=None, **known):
        desk = self.open_desk(program, scheduler=self.time.scheduler, **known)
        desk.agent.store.now = lambda: utc_now() + self.offset
        return desk

    def reach(self, minutes=42, **more):
        store = self.desk.agent.store
        ends = {"endsAt": (store.now() + timedelta(minutes=minutes)).isoformat()} if minutes else {}
        data = {"code": "usage_limit", "error": "You've hit your limit", **ends, **more}
        name = self.desk.session_id
        store.commit([events.session_event("session_error", name, store.now(), **data)])

    def pass_time(self, **span):
        self.offset += timedelta(**span)
        for _ in range(3):
            self.time.advance(60)

    def begin_turn(self):
        self.toy.busy = True
        self.desk.show()
        self.until_state(SessionState.BUSY)

    def end_turn(self, state=SessionState.IDLE):
        self.toy.busy = False
        self.desk.show()
        self.until_state(state)

    def until_state(self, state):
        self.until(lambda session: session.state is state)

    def until(self, holds):
        def there():
            self.time.advance(1)
            return holds(self.desk.session())

        until(there)

    def restart(self):
        self.desk.agent.limits.close()
        for one in self.desk.agent.sessions.running.values():
            one.close()
        name = self.desk.session_id
        self.desk = self.open(terminal=self.desk.terminal, journal=self.desk.journal)
        self.desk.session_id = name

    def until_sent(self, *messages):
        def sent():
            self.time.advance(1)
            return self.toy.messages == list(messages)

        until(sent)


@pytest.fixture
def limited(open_desk):
    return Limited(open_desk)


def test_what_could_not_be_journalled_was_not_done(open_desk):
    journal = FullJournal()
    limited = Limited(open_desk, journal)
    transport, name = limited.desk.transport(), limited.desk.session_id
    limited.reach()
    journal.full = True
    with pytest.raises(Unavailable, match="disk is full"):
        transport.resume_later(name)
    with pytest.raises(Unavailable, match="disk is full"):
        transport.dismiss_limit(name)
    limit = transport.session(name).limit
    assert limit is not None
    assert limit.resume is None


def test_a_limit_makes_an_idle_session_limited_and_says_when_it_ends(limited):
    limited.reach()
    session = limited.desk.session()
    assert session.state is SessionState.LIMITED
    assert session.limit.text == "You've hit your limit"
    assert session.limit.ends_at is not None


def test_a_limit_that_the_running_turn_met_shows_once_the_turn_is_over(limited):
    limited.begin_turn()
    limited.reach()
    assert limited.desk.session().state is SessionState.BUSY
    limited.end_turn(SessionState.LIMITED)


def test_a_limit_that_only_the_screen_shows_begins_with_the_end_of_the_turn(limited):
    limited.begin_turn()
    limited.toy.history = ["limit: try again at 6:35 AM."]
    limited.end_turn(SessionState.LIMITED)
    session = limited.desk.session()
    assert session.limit.text == "limit: try again at 6:35 AM."
    assert session.limit.ends_at > utc_now()
    limited.desk.transport().dismiss_limit(limited.desk.session_id)
    limited.restart()  # an old notice is still on the screen
    limited.until_state(SessionState.IDLE)
    assert limited.desk.session().limit is None


def test_the_screen_adds_the_end_that_the_transcript_lacks_and_nothing_else(limited):
    limited.begin_turn()
    limited.reach(minutes=None)
    limited.toy.history = ["limit: try again at 6:35 AM."]
    limited.end_turn(SessionState.LIMITED)
    limited.until(lambda session: session.limit.ends_at is not None)
    limited.begin_turn()
    limited.reach(minutes=5)
    limited.end_turn(SessionState.LIMITED)
    limited.time.advance(5)
    assert limited.desk.session().limit.text == "You've hit your limit"


def test_a_message_waits_until_the_limit_ends(limited):
    limited.reach()
    assert limited.desk.transport().message(limited.desk.session_id, "go on").status == "queued"
    limited.pass_time(minutes=41)
    assert limited.toy.messages == []
    limited.pass_time(minutes=2)
    limited.until_sent("go on")
    assert limited.desk.session().limit is None


def test_a_limit_has_ended_once_the_session_works_again(limited):
    limited.reach()
    limited.begin_turn()
    limited.end_turn()
    assert limited.desk.session().limit is None


def test_a_limit_that_is_over_already_changes_nothing(limited):
    limited.reach(minutes=-1)
    assert limited.desk.session().state is SessionState.IDLE


def test_a_limit_of_unknown_length_stays_until_it_is_dismissed(limited):
    limited.reach(minutes=None)
    limited.desk.transport().message(limited.desk.session_id, "try this")
    limited.pass_time(days=3)
    assert limited.desk.session().state is SessionState.LIMITED
    session = limited.desk.transport().dismiss_limit(limited.desk.session_id)
    assert session.limit is None
    limited.until_sent("try this")


def test_nothing_is_sent_at_the_end_of_a_limit_unless_the_user_wants_it(limited):
    limited.reach()
    limited.pass_time(minutes=45)
    limited.until_state(SessionState.IDLE)
    assert limited.toy.messages == []


def test_the_session_resumes_once_with_the_message_that_the_user_chose(limited):
    limited.reach()
    session = limited.desk.transport().resume_later(limited.desk.session_id, "please go on")
    assert session.limit.resume == "please go on"
    limited.pass_time(minutes=43)
    limited.until_sent("please go on")
    limited.pass_time(days=1)
    assert limited.toy.messages == ["please go on"]


def test_a_resume_that_was_cancelled_sends_nothing(limited):
    limited.reach()
    transport = limited.desk.transport()
    transport.resume_later(limited.desk.session_id)
    assert transport.resume_later(limited.desk.session_id, None).limit.resume is None
    limited.pass_time(minutes=45)
    limited.until_state(SessionState.IDLE)
    assert limited.toy.messages == []


def test_a_session_that_moved_on_is_not_resumed(limited):
    limited.reach()
    limited.desk.transport().resume_later(limited.desk.session_id)
    limited.begin_turn()
    limited.end_turn()
    limited.pass_time(minutes=45)
    assert limited.toy.messages == []


def test_a_resume_survives_a_restart(limited):
    limited.reach()
    limited.desk.transport().resume_later(limited.desk.session_id)
    limited.restart()
    assert limited.desk.session().limit.resume == "continue"
    limited.pass_time(minutes=43)
    limited.until_sent("continue")


def test_a_resume_that_a_full_disk_refused_is_sent_once_there_is_room(open_desk):
    journal = FullJournal()
    limited = Limited(open_desk, journal)
    limited.reach()
    limited.desk.transport().resume_later(limited.desk.session_id, "please go on")
    journal.full = True
    limited.pass_time(minutes=43)
    assert limited.toy.messages == []
    assert limited.desk.session().limit.resume == "please go on"
    journal.full = False
    limited.pass_time(minutes=2)
    limited.until_sent("please go on")
    limited.pass_time(days=1)
    assert limited.toy.messages == ["please go on"]
    assert limited.desk.session().limit is None


def test_a_resume_that_the_session_cannot_take_is_reported_in_it(limited, monkeypatch):
    def refuse(queue, *message, **more):
        raise Impossible("it takes no messages")

    limited.reach()
    limited.desk.transport().resume_later(limited.desk.session_id, "please go on")
    monkeypatch.setattr(MessageQueue, "send", refuse)
    limited.pass_time(minutes=43)
    limited.until(lambda session: session.limit is None)
    assert limited.desk.errors() == ["usage_limit", "message_not_sent"]


def test_what_makes_no_sense_is_refused(limited):
    transport, name = limited.desk.transport(), limited.desk.session_id
    with pytest.raises(Conflict, match="no usage limit"):
        transport.resume_later(name)
    with pytest.raises(Conflict, match="no usage limit"):
        transport.dismiss_limit(name)
    limited.reach(minutes=None)
    with pytest.raises(Conflict, match="does not say when"):
        transport.resume_later(name)
    limited.reach()
    with pytest.raises(BadRequest):
        transport.resume_later(name, "  ")


def test_a_cli_that_may_go_on_by_itself_gets_minutes_for_it(limited):
    limited.reach(continues=True)
    limited.desk.transport().resume_later(limited.desk.session_id)
    limited.pass_time(minutes=46)
    assert limited.toy.messages == []
    limited.pass_time(minutes=2)
    limited.until_sent("continue")
