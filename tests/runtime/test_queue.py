"""Messages meet keys, restarts, broken panes and odd text: still once each, or queued."""

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
    BadRequest,
    Conflict,
    ErrorCode,
    Impossible,
    NotConfirmed,
    Unavailable,
)
from clawtap_core.prompts.sanitize import sendable
from clawtap_core.runtime.actions.message_queue import TRIES
from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.errors import not_in_front


def idle(desk):
    until(lambda: desk.session().state is SessionState.IDLE)


def live(desk):
    return desk.agent.sessions.running[desk.session_id]


def queued(desk):
    return [message.message for message in desk.transport().queue(desk.session_id)]


def dies(desk):
    for one in desk.agent.sessions.running.values():
        one.close()


def again(open_desk, desk):
    new = open_desk(terminal=desk.terminal, journal=desk.journal)
    new.session_id = desk.session_id
    return new


def errors(desk):
    return [e.data["code"] for e in desk.journal.read(0, 500) if e.type == "session_error"]


def test_a_message_taken_back_while_the_session_calms_down_is_not_typed(open_desk):
    toy = Toy()
    toy.busy = True
    desk = open_desk(toy)
    until(lambda: desk.session().state is SessionState.BUSY)
    message = desk.transport().message(desk.session_id, "never mind").message_id
    toy.busy = False
    desk.show()
    until(lambda: live(desk).calm_for > 0)
    sending = threading.Thread(target=desk.agent.messages.flush, args=(live(desk),))
    sending.start()
    time.sleep(0.1)
    desk.transport().take_back(desk.session_id, message)
    sending.join()
    time.sleep(0.4)
    assert toy.keys == []


def test_a_message_after_a_command_waits_until_what_that_opens_shows(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=0.5))
    idle(desk)
    at_work = [True]
    live(desk).pane.cli_at_work = lambda: at_work[0]
    assert desk.transport().message(desk.session_id, "/list").status == "sent"
    assert desk.transport().message(desk.session_id, "hello").status == "queued"
    idle(desk)
    began = time.monotonic()
    until(lambda: time.monotonic() > began + 1)  # twice as long as for a CLI at rest
    assert desk.toy.messages == ["/list"]
    at_work[0] = False
    until(lambda: queued(desk) == [])
    assert desk.toy.messages == ["/list", "hello"]


def test_a_message_that_comes_while_a_command_shows_what_it_opens_is_sent_by_itself(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=2.0))
    idle(desk)
    live(desk).pane.cli_at_work = lambda: False
    assert desk.transport().message(desk.session_id, "/list").status == "sent"
    idle(desk)
    began = time.monotonic()
    until(lambda: time.monotonic() > began + 1)  # nothing is left to look at but the command
    assert desk.transport().message(desk.session_id, "hello").status == "queued"
    until(lambda: queued(desk) == [])
    assert desk.toy.messages == ["/list", "hello"]


def test_a_command_that_has_shown_what_it_opens_holds_no_later_message_up(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=0.1, command_settles=60))
    idle(desk)
    at_work = [False]
    live(desk).pane.cli_at_work = lambda: at_work[0]
    assert desk.transport().message(desk.session_id, "/list").status == "sent"
    until(lambda: live(desk).calm_for > 0)
    at_work[0] = True
    assert desk.transport().message(desk.session_id, "hello").status == "sent"


def test_a_message_after_a_command_goes_in_the_end_though_the_cli_stays_at_work(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=0.1, command_settles=0.3))
    idle(desk)
    live(desk).pane.cli_at_work = lambda: True
    for text in ("/list", "hello"):
        desk.transport().message(desk.session_id, text)
    until(lambda: desk.toy.messages == ["/list", "hello"])


def test_once_a_message_has_left_the_command_before_it_holds_up_none(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=0.1, command_settles=60))
    idle(desk)
    at_work = [False]
    live(desk).pane.cli_at_work = lambda: at_work[0]
    for text in ("/nosuch word", "hello"):
        desk.transport().message(desk.session_id, text)
        until(lambda: queued(desk) == [])
    until(lambda: live(desk).calm_for > 0)
    at_work[0] = True
    assert desk.transport().message(desk.session_id, "and now").status == "sent"


def test_a_message_that_another_thread_is_typing_is_reported_as_sent(open_desk):
    desk = open_desk(Toy())
    idle(desk)
    session, begun, given_up = live(desk), threading.Event(), threading.Event()
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
        if queued(desk):
            threading.Thread(target=desk.agent.messages.flush, args=(session,)).start()
            assert begun.wait(60)
        return session

    session.pane.type, session.typing = type_slowly, typing
    messages = replace(desk.agent.messages, target=target)
    assert messages.send(desk.session_id, "hello", Actor("test")).status == "sent"
    assert desk.toy.messages == ["hello"]


def test_a_message_that_was_not_seen_to_leave_is_not_reported_as_sent(open_desk):
    desk = open_desk(Toy(), timings=Timings(message_leaves=0.2))
    idle(desk)
    key = desk.toy.key
    desk.toy.key = lambda name: desk.toy.keys.append(name) if name == "Enter" else key(name)
    with pytest.raises(NotConfirmed) as caught:
        desk.transport().message(desk.session_id, "hello")
    assert caught.value.code == "message_not_confirmed"
    assert desk.toy.keys == ["hello", "Enter"]
    assert queued(desk) == []


def test_a_message_whose_pane_breaks_after_enter_is_not_typed_again(open_desk):
    desk = open_desk(Toy())
    idle(desk)
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
    assert queued(desk) == []
    assert errors(desk) == ["message_not_confirmed"]


def test_a_message_that_the_cli_does_not_take_is_refused_at_once(open_desk):
    desk = open_desk(Toy())
    idle(desk)
    compose, tries = live(desk).adapter.compose, []
    live(desk).adapter.compose = lambda *_: tries.append(1)
    with pytest.raises(Impossible, match="does not take this message") as caught:
        desk.transport().message(desk.session_id, "hello")
    assert caught.value.code == "message_not_typed"
    assert len(tries) == 1
    assert errors(desk) == ["message_not_typed"]
    assert queued(desk) == []
    live(desk).adapter.compose = compose
    assert desk.transport().message(desk.session_id, "and you?").status == "sent"
    assert desk.toy.messages == ["and you?"]


def garbles(desk, word):
    """The composer does not show this word as it was written."""
    type_text = desk.pane.type
    desk.pane.type = lambda text: type_text(text.replace(word, "\N{REPLACEMENT CHARACTER}"))
    compose = live(desk).adapter.compose

    def gives_up(text, screen, progress):
        if not text:
            return compose(text, screen, progress)
        if "\N{REPLACEMENT CHARACTER}" in screen.text:
            return None
        return replace(compose(text, screen, progress), spans=word in text)

    live(desk).adapter.compose = gives_up


def test_a_message_that_does_not_arrive_as_written_is_taken_out_and_blocks_no_other(open_desk):
    desk = open_desk(Toy(), timings=Timings(queue_retry=0.05))
    idle(desk)
    garbles(desk, "strange")
    with contextlib.suppress(Impossible):
        desk.transport().message(desk.session_id, "strange")
    desk.transport().message(desk.session_id, "plain")
    until(lambda: desk.toy.messages == ["plain"], 10)
    until(lambda: queued(desk) == [])
    assert errors(desk) == ["message_not_typed"]
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
    desk = open_desk(Toy(), timings=Timings(queue_retry=0.5))
    idle(desk)
    another_program_in_front(desk, "Enter")
    assert desk.transport().message(desk.session_id, "still mine").status == "queued"
    desk.transport().message(desk.session_id, "the next")
    until(lambda: desk.toy.messages == ["still mine", "the next"], 10)
    assert errors(desk) == []


def test_a_message_that_left_before_another_program_came_was_sent(open_desk):
    desk = open_desk(Toy())
    idle(desk)
    adapter = live(desk).adapter

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


def taken_back(desk, message_id):
    try:
        desk.transport().take_back(desk.session_id, message_id)
    except Conflict:  # it is being typed
        return False
    return True


def test_a_message_taken_back_leaves_the_composer_clear(open_desk):
    desk = open_desk(Toy())
    idle(desk)
    type_text = desk.pane.type

    def begins_to_work(text):
        type_text(text)
        desk.toy.busy = True

    desk.pane.type = begins_to_work
    assert desk.transport().message(desk.session_id, "half typed").status == "queued"
    desk.pane.type = type_text
    (message,) = desk.transport().queue(desk.session_id)
    until(lambda: taken_back(desk, message.id))
    assert desk.toy.draft == "half typed", "while it works, nothing is typed"
    desk.toy.busy = False
    desk.show()
    until(lambda: desk.toy.draft == "")
    desk.transport().message(desk.session_id, "next")
    until(lambda: desk.toy.messages == ["next"])


def test_a_message_sent_while_keys_are_pressed_goes_after_them(open_desk):
    desk = open_desk(Toy())
    idle(desk)
    until(lambda: live(desk).calm_for > 0.3)
    with live(desk).typing():
        assert desk.transport().message(desk.session_id, "after the keys").status == "queued"
    until(lambda: desk.toy.messages == ["after the keys"])


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("a\tb", "a\tb"),
        ("bell\x07 and \x1b[31mred", "bell and [31mred"),
        ("\ud800x", "?x"),
    ],
)
def test_characters_that_nobody_types_do_not_keep_a_message_back(open_desk, text, typed):
    desk = open_desk(Toy())
    idle(desk)
    assert desk.transport().message(desk.session_id, text).status == "sent"
    assert desk.toy.messages == [typed]


def test_one_rule_says_what_of_a_message_is_kept():
    text = " \r\n two  \r\n\r\n\tlines\rand \x1b[31mred\x07\r\n "
    assert sendable(text) == "two  \n\n\tlines\nand [31mred"


def test_a_message_of_control_characters_is_refused(open_desk):
    desk = open_desk(Toy())
    with pytest.raises(BadRequest):
        desk.transport().message(desk.session_id, "\x1b\x07")


# A thread of the server that is gone may meet its end, too.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_message_typed_but_not_entered_when_the_server_died_is_sent_once(open_desk):
    desk = open_desk(Toy())
    idle(desk)
    live(desk).postpone_queue(60)  # only the sender's own thread types

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
    live(desk).close()
    desk = again(open_desk, desk)
    until(lambda: desk.toy.messages == ["hello"])
    until(lambda: queued(desk) == [])
    assert desk.toy.keys == ["hello", "Enter"]
    assert errors(desk) == []


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
    dies(desk)
    toy.busy = False
    desk.terminal.slow = 0.6
    desk = again(open_desk, desk)
    time.sleep(0.5)
    assert toy.keys == []
    assert errors(desk) == ["message_not_confirmed"]


def test_a_message_that_is_being_typed_cannot_be_changed(open_desk):
    desk = open_desk(Toy())
    idle(desk)
    reported = []

    def during():
        (message,) = desk.transport().queue(desk.session_id)
        with pytest.raises(Conflict) as caught:
            desk.transport().take_back(desk.session_id, message.id)
        reported.append(caught.value.code)

    desk.pane.before_key = during
    desk.transport().message(desk.session_id, "hello")
    assert reported == ["message_sending"]


def test_the_end_of_a_turn_is_reported_though_the_desk_has_begun_to_write(open_desk):
    toy = Toy()
    toy.busy = True
    desk = open_desk(toy)
    until(lambda: desk.session().state is SessionState.BUSY)
    toy.busy, toy.draft = False, "next I want"
    desk.show()
    until(lambda: [event for event in desk.journal.read() if event.type == "done"])


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
        idle(desk)
        self.pane = live(desk).pane
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
    until(lambda: queued(desk) == [] and live(desk).leftover == "")
    assert unreadable.toy.messages == ["hello"]
    sent = [e.data["message"] for e in desk.journal.read(0, 500) if e.type == "message_sent"]
    assert (sent, errors(desk)) == (["hello"], [])


def test_a_message_that_was_not_read_back_and_cleared_at_the_desk_is_typed_again(unreadable):
    desk = unreadable.desk
    unreadable.press_at_desk("C-u")
    assert unreadable.toy.draft == ""
    desk.show()
    until(lambda: unreadable.toy.messages == ["hello"])
    until(lambda: queued(desk) == [])


def test_the_same_words_of_an_earlier_message_do_not_count_as_sent(unreadable):
    desk = unreadable.desk
    append(unreadable.path, note("n0", "hello", at=time.time() - 60))
    unreadable.press_at_desk("C-u")
    desk.show()
    until(lambda: unreadable.toy.messages == ["hello"])


def behind_a_draft(open_desk):
    """A desk whose composer holds a letter, and the outcome of a message to it."""
    toy = Toy()
    toy.draft = "n"
    desk = open_desk(toy)
    idle(desk)
    return desk, desk.transport().message(desk.session_id, "mine")


def test_a_message_behind_a_draft_of_the_desk_says_so_until_that_is_gone(open_desk):
    desk, sent = behind_a_draft(open_desk)
    text = "the composer in the terminal holds text; send or delete it there"
    assert (sent.status, sent.detail, desk.session().detail) == ("queued", text, text)
    desk.toy.draft = ""
    desk.show()
    until(lambda: desk.toy.messages == ["mine"])
    until(lambda: desk.session().detail is None)


def test_a_message_that_is_taken_back_leaves_no_word_of_what_it_waited_for(open_desk):
    desk, sent = behind_a_draft(open_desk)
    desk.transport().take_back(desk.session_id, sent.message_id)
    assert desk.session().detail is None


def test_a_message_to_a_cli_that_its_shell_suspended_says_so_until_it_is_back(open_desk):
    toy = Toy()
    desk = open_desk(toy, adopt=True)
    idle(desk)
    until(lambda: live(desk).calm_for > 0.3)
    desk.pane.there, toy.odd = False, "[1]+  Stopped"
    desk.show()
    sent = desk.transport().message(desk.session_id, "hello")
    assert (sent.status, sent.detail) == (
        "queued",
        "another program is in the foreground of the pane",
    )
    desk.pane.there, toy.odd = True, ""
    desk.show()
    until(lambda: toy.messages == ["hello"])
    until(lambda: desk.session().detail is None)


def test_a_message_to_a_pane_that_takes_no_keys_says_so_and_is_sent_once_it_does(open_desk):
    desk = open_desk(Toy(), timings=Timings(queue_retry=0.02))
    idle(desk)
    type_text, tries = desk.pane.type, []

    def refused(_):
        tries.append(True)
        raise Conflict("input to this pane is off", code=ErrorCode.PANE_INPUT_OFF)

    desk.pane.type = refused
    sent = desk.transport().message(desk.session_id, "hello")
    assert (sent.status, sent.detail) == ("queued", "input to this pane is off")
    until(lambda: len(tries) > TRIES)
    assert (queued(desk), errors(desk)) == (["hello"], [])
    assert desk.session().detail == "input to this pane is off"
    desk.pane.type = type_text
    until(lambda: desk.toy.messages == ["hello"])
    until(lambda: desk.session().detail is None)
