"""A message reaches the model exactly once, or stays queued and visible."""

from __future__ import annotations

import pytest
from fake_terminal import Toy, until

from clawtap_core import SessionState
from clawtap_core.errors import BadRequest, Conflict, NotFound


def test_a_message_goes_into_an_idle_empty_composer(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
    assert desk.transport().message(desk.session_id, "hello").status == "sent"
    assert desk.toy.messages == ["hello"]
    assert list(desk.transport().queue(desk.session_id)) == []


def test_a_message_while_busy_waits_and_is_sent_after(open_desk):
    toy = Toy()
    toy.busy = True
    desk = open_desk(toy)
    until(lambda: desk.session().state is SessionState.BUSY)
    sent = desk.transport().message(desk.session_id, "later")
    assert sent.status == "queued"
    assert desk.session().queued == 1
    toy.busy = False
    desk.show()
    until(lambda: toy.messages == ["later"])
    until(lambda: desk.session().queued == 0)


def test_a_message_while_a_prompt_is_open_does_not_answer_it(open_desk):
    desk = open_desk(Toy("rm -rf /"))
    desk.prompt()
    assert desk.transport().message(desk.session_id, "yes please").status == "queued"
    assert desk.toy.keys == []
    desk.toy.choose("No")
    desk.show()
    until(lambda: desk.toy.messages == ["yes please"])
    assert desk.toy.decided == ["rm -rf /: No"]


def test_a_draft_of_the_desk_is_left_alone(open_desk):
    toy = Toy()
    toy.draft = "I was just"
    desk = open_desk(toy)
    desk.until_idle()
    assert desk.transport().message(desk.session_id, "mine").status == "queued"
    assert toy.keys == []


def test_a_prompt_that_comes_while_a_message_is_typed_is_not_answered(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()

    def ask_before_enter():
        desk.pane.before_key = None
        desk.toy.asks.append("rm -rf /")

    until(lambda: desk.agent.sessions.running[desk.session_id].calm_for > 0.3)
    original = desk.pane.type

    def type_then_ask(text):
        original(text)
        ask_before_enter()

    desk.pane.type = type_then_ask
    assert desk.transport().message(desk.session_id, "hi").status == "queued"
    assert "Enter" not in desk.toy.keys
    assert desk.toy.decided == []
    desk.pane.type = original
    desk.toy.choose("No")
    desk.show()
    until(lambda: desk.toy.messages == ["hi"])


def test_messages_keep_their_order(open_desk):
    toy = Toy()
    toy.busy = True
    desk = open_desk(toy)
    until(lambda: desk.session().state is SessionState.BUSY)
    for text in ("one", "two", "three"):
        desk.transport().message(desk.session_id, text)
    toy.busy = False
    desk.show()
    until(lambda: toy.messages == ["one", "two", "three"])


def test_a_queued_message_can_be_changed_and_taken_back(open_desk):
    toy = Toy()
    toy.busy = True
    desk = open_desk(toy)
    until(lambda: desk.session().state is SessionState.BUSY)
    transport = desk.transport()
    first = transport.message(desk.session_id, "one").message_id
    second = transport.message(desk.session_id, "two").message_id
    transport.edit_queued(desk.session_id, second, "zwei")
    transport.take_back(desk.session_id, first)
    assert [m.message for m in transport.queue(desk.session_id)] == ["zwei"]
    with pytest.raises(NotFound):
        transport.take_back(desk.session_id, first)


def test_an_empty_message_and_one_to_an_ended_session_are_refused(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
    with pytest.raises(BadRequest):
        desk.transport().message(desk.session_id, "  ")
    desk.pane.die()
    until(lambda: desk.session().state is SessionState.ENDED)
    with pytest.raises(Conflict):
        desk.transport().message(desk.session_id, "hello?")
