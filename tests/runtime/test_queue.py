"""Which message goes when: behind commands, drafts and keys; each that waits says for what."""

from __future__ import annotations

import threading
import time

import pytest
from fake_terminal import Toy, until

from clawtap_core import SessionState
from clawtap_core.errors import (
    BadRequest,
    Conflict,
    ErrorCode,
    NotConfirmed,
)
from clawtap_core.prompts.sanitize import sendable
from clawtap_core.runtime.actions.message_queue import TRIES, MessageQueue
from clawtap_core.runtime.timings import Timings


def test_a_message_taken_back_while_the_session_calms_down_is_not_typed(open_desk):
    toy = Toy()
    toy.busy = True
    desk = open_desk(toy)
    until(lambda: desk.session().state is SessionState.BUSY)
    message = desk.transport().message(desk.session_id, "never mind").message_id
    toy.busy = False
    desk.show()
    until(lambda: desk.live.calm_for > 0)
    sending = threading.Thread(target=desk.agent.messages.flush, args=(desk.live,))
    sending.start()
    time.sleep(0.1)
    desk.transport().take_back(desk.session_id, message)
    sending.join()
    time.sleep(0.4)
    assert toy.keys == []


def test_a_message_after_a_command_waits_until_what_that_opens_shows(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=0.5))
    desk.until_idle()
    at_work = [True]
    desk.live.pane.cli_at_work = lambda: at_work[0]
    assert desk.transport().message(desk.session_id, "/list").status == "sent"
    assert desk.transport().message(desk.session_id, "hello").status == "queued"
    desk.until_idle()
    began = time.monotonic()
    until(lambda: time.monotonic() > began + 1)  # twice as long as for a CLI at rest
    assert desk.toy.messages == ["/list"]
    at_work[0] = False
    until(lambda: desk.queued() == [])
    assert desk.toy.messages == ["/list", "hello"]


def test_a_message_that_comes_while_a_command_shows_what_it_opens_is_sent_by_itself(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=2.0))
    desk.until_idle()
    desk.live.pane.cli_at_work = lambda: False
    assert desk.transport().message(desk.session_id, "/list").status == "sent"
    desk.until_idle()
    began = time.monotonic()
    until(lambda: time.monotonic() > began + 1)  # nothing is left to look at but the command
    assert desk.transport().message(desk.session_id, "hello").status == "queued"
    until(lambda: desk.queued() == [])
    assert desk.toy.messages == ["/list", "hello"]


def test_a_command_that_has_shown_what_it_opens_holds_no_later_message_up(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=0.1, command_settles=60))
    desk.until_idle()
    at_work = [False]
    desk.live.pane.cli_at_work = lambda: at_work[0]
    assert desk.transport().message(desk.session_id, "/list").status == "sent"
    until(lambda: desk.live.calm_for > 0)
    at_work[0] = True
    assert desk.transport().message(desk.session_id, "hello").status == "sent"


def test_a_message_after_a_command_goes_in_the_end_though_the_cli_stays_at_work(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=0.1, command_settles=0.3))
    desk.until_idle()
    desk.live.pane.cli_at_work = lambda: True
    for text in ("/list", "hello"):
        desk.transport().message(desk.session_id, text)
    until(lambda: desk.toy.messages == ["/list", "hello"])


def test_once_a_message_has_left_the_command_before_it_holds_up_none(open_desk):
    desk = open_desk(Toy(), timings=Timings(command_shows=0.1, command_settles=60))
    desk.until_idle()
    at_work = [False]
    desk.live.pane.cli_at_work = lambda: at_work[0]
    for text in ("/nosuch word", "hello"):
        desk.transport().message(desk.session_id, text)
        until(lambda: desk.queued() == [])
    until(lambda: desk.live.calm_for > 0)
    at_work[0] = True
    assert desk.transport().message(desk.session_id, "and now").status == "sent"


def taken_back(desk, message_id):
    try:
        desk.transport().take_back(desk.session_id, message_id)
    except Conflict:  # it is being typed
        return False
    return True


def test_a_message_taken_back_leaves_the_composer_clear(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
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
    desk.until_idle()
    until(lambda: desk.live.calm_for > 0.3)
    with desk.live.typing():
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
    desk.until_idle()
    assert desk.transport().message(desk.session_id, text).status == "sent"
    assert desk.toy.messages == [typed]


def test_one_rule_says_what_of_a_message_is_kept():
    text = " \r\n two  \r\n\r\n\tlines\rand \x1b[31mred\x07\r\n "
    assert sendable(text) == "two  \n\n\tlines\nand [31mred"


def test_a_message_of_control_characters_is_refused(open_desk):
    desk = open_desk(Toy())
    with pytest.raises(BadRequest):
        desk.transport().message(desk.session_id, "\x1b\x07")


def test_a_message_that_is_being_typed_cannot_be_changed(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
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


def behind_a_draft(open_desk):
    """A desk whose composer holds a letter, and the outcome of a message to it."""
    toy = Toy()
    toy.draft = "n"
    desk = open_desk(toy)
    desk.until_idle()
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


def test_what_a_message_waited_for_is_gone_with_it_though_no_screen_follows(open_desk, monkeypatch):
    desk, sent = behind_a_draft(open_desk)
    monkeypatch.setattr(desk.live, "refresh", lambda: None)
    desk.transport().take_back(desk.session_id, sent.message_id)
    assert desk.session().detail is None


def test_a_message_to_a_cli_that_its_shell_suspended_says_so_until_it_is_back(open_desk):
    toy = Toy()
    desk = open_desk(toy, adopt=True)
    desk.until_idle()
    until(lambda: desk.live.calm_for > 0.3)
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
    desk.until_idle()
    type_text, tries = desk.pane.type, []

    def refused(_):
        tries.append(True)
        raise Conflict("input to this pane is off", code=ErrorCode.PANE_INPUT_OFF)

    desk.pane.type = refused
    sent = desk.transport().message(desk.session_id, "hello")
    assert (sent.status, sent.detail) == ("queued", "input to this pane is off")
    until(lambda: len(tries) > TRIES)
    assert (desk.queued(), desk.errors()) == (["hello"], [])
    assert desk.session().detail == "input to this pane is off"
    desk.pane.type = type_text
    until(lambda: desk.toy.messages == ["hello"])
    until(lambda: desk.session().detail is None)


def test_a_message_that_another_thread_types_at_once_has_its_outcome(open_desk, monkeypatch):
    desk = open_desk(Toy(), timings=Timings(message_leaves=0.2))
    desk.until_idle()
    desk.pane.before_key = lambda: setattr(desk.toy, "deaf", desk.toy.draft != "")
    queue = MessageQueue._queue

    def queue_and_flush(messages, *arguments, **options):
        queue(messages, *arguments, **options)
        flushing = threading.Thread(target=messages.flush, args=(desk.live,))
        flushing.start()
        flushing.join()

    monkeypatch.setattr(MessageQueue, "_queue", queue_and_flush)
    with pytest.raises(NotConfirmed, match="was not seen to leave"):
        desk.transport().message(desk.session_id, "hello")
