"""A hook of the user's refuses a message: its sender is told why, and the next one is sent."""

from __future__ import annotations

import pytest
from fake_terminal import Toy, until
from patience import never

REASON = "Not on Sundays."


@pytest.fixture
def desk(open_desk):
    desk = open_desk(Toy())
    desk.until_idle()
    desk.toy.refusal = REASON
    return desk


def refusals(desk):
    events = desk.agent.store.journal.read(0, 500)
    return [event.data for event in events if event.data.get("code") == "message_refused"]


@pytest.mark.parametrize("gives_back", [True, False], ids=["given back", "kept"])
def test_the_sender_learns_why_a_hook_refused_a_message(desk, gives_back):
    desk.toy.gives_back = gives_back
    desk.transport().message(desk.session_id, "deploy it")
    until(lambda: desk.errors() == ["message_refused"])
    (refusal,) = refusals(desk)
    assert refusal["error"] == f"a hook refused the message “deploy it”: {REASON}"
    assert refusal["messageId"]


def test_what_the_cli_puts_back_into_its_composer_is_taken_out(desk):
    desk.transport().message(desk.session_id, "deploy it")
    until(lambda: desk.errors() == ["message_refused"])
    until(lambda: desk.toy.draft == desk.live.leftover == "")


def test_the_next_message_is_sent_after_one_was_refused(desk):
    desk.transport().message(desk.session_id, "deploy it")
    until(lambda: desk.errors() == ["message_refused"])
    desk.toy.refusal = ""
    desk.transport().message(desk.session_id, "then wait")
    until(lambda: desk.queued() == [])
    assert desk.toy.messages == ["deploy it", "then wait"]
    assert desk.errors() == ["message_refused"]


def test_a_second_refusal_is_told_too(desk):
    desk.transport().message(desk.session_id, "deploy it")
    until(lambda: desk.errors() == ["message_refused"])
    desk.transport().message(desk.session_id, "deploy that")
    until(lambda: len(refusals(desk)) == 2)
    assert "deploy that" in refusals(desk)[1]["error"]


def test_a_message_of_the_desk_that_a_hook_refused_is_left_there(desk):
    desk.toy.draft = "typed at the desk"
    desk.toy.key("Enter")
    desk.show()
    desk.transport().message(desk.session_id, "mine")
    until(lambda: desk.session().detail is not None)
    assert desk.toy.draft == "typed at the desk"
    assert desk.errors() == []
    assert desk.queued() == ["mine"]


def test_a_later_refusal_of_what_the_desk_sent_is_not_told_of_ours(desk):
    desk.toy.refusal = ""
    desk.transport().message(desk.session_id, "mine")
    until(lambda: desk.toy.messages == ["mine"])
    desk.until_idle()
    desk.toy.refusal, desk.toy.gives_back, desk.toy.draft = REASON, False, "typed at the desk"
    desk.toy.key("Enter")
    desk.show()
    desk.until_idle()
    never(desk.errors, 1)
