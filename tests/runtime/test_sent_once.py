"""Messages meet restarts, other programs and panes that break: sent once, or the sender is told."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import replace

import pytest
from fake_terminal import FakeTerminal, Toy, until
from toy_conversations import said
from toy_transcripts import append, note

from clawtap_core import Actor, LaunchRequest, Press, SessionState, Steps, Type
from clawtap_core.errors import (
    Conflict,
    ErrorCode,
    Impossible,
    NotConfirmed,
    Unavailable,
)
from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.errors import not_in_front


def test_a_message_that_another_thread_is_typing_is_reported_as_sent(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
    session, begun, given_up = desk.live, threading.Event(), threading.Event()
    type_text, take_turn = session.pane.type, session.typing

    def type_slowly(text):
        begun.set()
        assert given_up.wait(60)
        type_text(text)

    def typing(patience):
        if not begun.is_set():
            return take_turn(patience)
        given_up.set()
        raise Conflict("somebody else is typing", code=ErrorCode.SESSION_BUSY)

    def target(_):
        if desk.queued():
            threading.Thread(target=desk.agent.messages.flush, args=(session,)).start()
            assert begun.wait(60)
        return session

    session.pane.type, session.typing = type_slowly, typing
    messages = replace(desk.agent.messages, target=target)
    assert messages.send(desk.session_id, "hello", Actor("test")).status == "sent"
    assert desk.toy.messages == ["hello"]


def test_a_message_that_was_not_seen_to_leave_is_not_reported_as_sent(open_desk):
    desk = open_desk(Toy(), timings=Timings(message_leaves=0.2))
    desk.until_idle()
    key = desk.toy.key
    desk.toy.key = lambda name: desk.toy.keys.append(name) if name == "Enter" else key(name)
    with pytest.raises(NotConfirmed) as caught:
        desk.transport().message(desk.session_id, "hello")
    assert caught.value.code == "message_not_confirmed"
    assert desk.toy.keys == ["hello", "Enter"]
    assert desk.queued() == []


def test_a_message_whose_pane_breaks_after_enter_is_not_typed_again(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
    look = desk.pane.look

    def broken(*_):
        raise Unavailable("tmux did not answer", code="tmux_timeout")

    def press(name):
        desk.toy.key(name)
        desk.pane.look = broken

    desk.pane.press = press
    with pytest.raises(NotConfirmed):
        desk.transport().message(desk.session_id, "hello")
    desk.pane.look = look
    desk.show()
    time.sleep(0.5)
    assert desk.toy.messages == ["hello"]
    assert desk.queued() == []
    assert desk.errors() == ["message_not_confirmed"]


def test_a_message_that_the_cli_does_not_take_is_refused_at_once(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
    compose, tries = desk.live.adapter.compose, []
    desk.live.adapter.compose = lambda *_: tries.append(1)
    with pytest.raises(Impossible, match="does not take this message") as caught:
        desk.transport().message(desk.session_id, "hello")
    assert caught.value.code == "message_not_typed"
    assert len(tries) == 1
    assert desk.errors() == ["message_not_typed"]
    assert desk.queued() == []
    desk.live.adapter.compose = compose
    assert desk.transport().message(desk.session_id, "and you?").status == "sent"
    assert desk.toy.messages == ["and you?"]


def garbles(desk, word):
    """The composer does not show this word as it was written."""
    type_text = desk.pane.type
    desk.pane.type = lambda text: type_text(text.replace(word, "\N{REPLACEMENT CHARACTER}"))
    compose = desk.live.adapter.compose

    def gives_up(text, screen, progress):
        if not text:
            return compose(text, screen, progress)
        if "\N{REPLACEMENT CHARACTER}" in screen.text:
            return None
        return replace(compose(text, screen, progress), spans=word in text)

    desk.live.adapter.compose = gives_up


def test_a_message_that_does_not_arrive_as_written_is_taken_out_and_blocks_no_other(open_desk):
    desk = open_desk(Toy(), timings=Timings(queue_retry=0.05))
    desk.until_idle()
    garbles(desk, "strange")
    with contextlib.suppress(Impossible):
        desk.transport().message(desk.session_id, "strange")
    desk.transport().message(desk.session_id, "plain")
    until(lambda: desk.toy.messages == ["plain"], 10)
    until(lambda: desk.queued() == [])
    assert desk.errors() == ["message_not_typed"]
    assert desk.toy.draft == ""


def another_program_in_front(desk, key):
    """Let this key of ours meet another program in the foreground, once."""
    press, met = desk.pane.press, []

    def meets(pressed):
        if pressed == key and not met:
            met.append(pressed)
            raise not_in_front()
        press(pressed)

    desk.pane.press = meets


def test_a_message_whose_enter_met_another_program_is_sent_when_that_is_gone(open_desk):
    desk = open_desk(Toy(), timings=Timings(queue_retry=1.5))
    desk.until_idle()
    # The thread of the queue may meet the other program in place of the sender's, which then sends.
    desk.live.postpone_queue(60)
    another_program_in_front(desk, "Enter")
    assert desk.transport().message(desk.session_id, "still mine").status == "queued"
    desk.transport().message(desk.session_id, "the next")
    until(lambda: desk.toy.messages == ["still mine", "the next"], 10)
    assert desk.errors() == []


def test_a_message_that_left_before_another_program_came_was_sent(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
    adapter = desk.live.adapter

    def compose(text, screen, progress):
        if progress is None:
            return Steps((Type(text),), progress="placed", spans=True)
        if progress == "placed":
            return Steps((Press("Enter", deciding=True),), progress="sent", spans=True)
        return Steps((Press("Home"),), progress="probed", spans=True, done=progress == "probed")

    adapter.compose = compose
    another_program_in_front(desk, "Home")
    assert desk.transport().message(desk.session_id, "gone already").status == "sent"
    assert desk.toy.messages == ["gone already"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_message_typed_but_not_entered_when_the_server_died_is_sent_once(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
    desk.live.postpone_queue(60)  # only the sender's own thread types

    class Killed(BaseException):
        pass

    def killed(*_, **__):
        raise Killed

    type_text = desk.pane.type

    def dies_after_typing(text):
        type_text(text)
        desk.agent.store.commit = killed
        raise Killed

    desk.pane.type = dies_after_typing
    with pytest.raises(Killed):
        desk.transport().message(desk.session_id, "hello")
    assert desk.toy.draft == "hello"
    desk.live.close()
    desk = desk.reopened(open_desk)
    until(lambda: desk.toy.messages == ["hello"])
    until(lambda: desk.queued() == [])
    assert desk.toy.keys == ["hello", "Enter"]
    assert desk.errors() == []


def test_a_message_that_may_have_been_sent_is_not_typed_while_other_sessions_are_restored(
    open_desk, tmp_path
):
    class SlowTerminal(FakeTerminal):
        slow = 0.0

        def watch(self, pane_id, listener):
            pane = super().watch(pane_id, listener)
            time.sleep(self.slow)
            return pane

    toy = Toy()
    toy.busy = True
    desk = open_desk(toy, terminal=SlowTerminal(program=toy))
    until(lambda: desk.session().state is SessionState.BUSY)
    message = desk.transport().message(desk.session_id, "once").message_id
    desk.terminal.program = Toy()
    desk.transport().start(LaunchRequest("toy", str(tmp_path)))
    desk.agent.store.mark(desk.session_id, "sending", message)
    desk.dies()
    toy.busy = False
    desk.terminal.slow = 0.6
    desk = desk.reopened(open_desk)
    time.sleep(0.5)
    assert toy.keys == []
    assert desk.errors() == ["message_not_confirmed"]


class Unreadable:
    """A desk whose message stands in a composer that cannot be read back, neither sent nor out."""

    def __init__(self, office):
        self.office = office
        office.timings = Timings(
            queue_retry=0.05, transcript_check=0.05, transcript_check_idle=0.05
        )
        self.desk = desk = office.open()
        self.toy = Toy()
        desk.session_id = office.start(desk, self.toy)
        (office.home.parent / "7.state").write_text("north idle")
        self.path = office.write("north", note("n1", "go north"))
        until(lambda: said(desk, desk.session_id) == ["n1"])
        desk.until_idle()
        self.pane = desk.live.pane
        self.type_text = self.pane.type
        self.pane.type = self._draw_over_the_frame
        assert desk.transport().message(desk.session_id, "hello").status == "queued"
        assert self.toy.draft == "hello"

    def _draw_over_the_frame(self, text):
        self.type_text(text)
        self.toy.odd = "nothing that anybody could read"

    def press_at_desk(self, key):
        self.pane.type = self.type_text
        if key == "Enter":
            # Written first: the toy is idle at once, while a CLI works on what it was sent.
            append(self.path, note("n2", self.toy.draft, at=time.time()))
        self.toy.key(key)
        self.toy.odd = ""


@pytest.fixture
def unreadable(office):
    return Unreadable(office)


def test_a_message_that_was_not_read_back_and_sent_at_the_desk_is_not_typed_again(unreadable):
    desk = unreadable.desk
    unreadable.press_at_desk("Enter")
    desk.show()
    until(lambda: desk.queued() == [] and desk.live.leftover == "")
    assert unreadable.toy.messages == ["hello"]
    sent = [e.data["message"] for e in desk.journal.read(0, 500) if e.type == "message_sent"]
    assert (sent, desk.errors()) == (["hello"], [])


def test_a_message_that_was_not_read_back_and_cleared_at_the_desk_is_typed_again(unreadable):
    desk = unreadable.desk
    unreadable.press_at_desk("C-u")
    assert unreadable.toy.draft == ""
    desk.show()
    until(lambda: unreadable.toy.messages == ["hello"])
    until(lambda: desk.queued() == [])


def test_the_same_words_of_an_earlier_message_do_not_count_as_sent(unreadable):
    desk = unreadable.desk
    append(unreadable.path, note("n0", "hello", at=time.time() - 60))
    unreadable.press_at_desk("C-u")
    desk.show()
    until(lambda: unreadable.toy.messages == ["hello"])
