"""A journal that refuses to write, as on a full disk: what is so is shown, nothing typed twice."""

from __future__ import annotations

import pytest
from fake_terminal import FakeTerminal, Toy
from full_journal import FullJournal
from patience import until

from clawtap_core import LaunchRequest, Response, SessionState
from clawtap_core.errors import Unavailable
from clawtap_core.model import PromptState
from clawtap_core.terminal.api import PaneEnd


@pytest.fixture
def journal():
    return FullJournal()


def recorded(journal, *types):
    return [event for event in journal.read(0, 5000) if event.type in types]


def test_a_prompt_that_opens_while_the_disk_is_full_is_shown_and_answered_later(open_desk, journal):
    desk = open_desk(Toy(), journal=journal)
    until(lambda: desk.session().state is SessionState.IDLE)
    journal.full = True
    desk.toy.asks = ["touch a"]
    desk.show()
    prompt = desk.prompt()
    with pytest.raises(Unavailable, match="disk is full"):
        desk.transport().respond(desk.session_id, Response(prompt.request_id, "yes"))
    assert desk.toy.keys == []
    assert desk.prompt().state is PromptState.PENDING
    journal.full = False
    ended = desk.transport().respond(desk.session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    kinds = ("approval_required", "prompt_resolved")
    assert [event.type for event in recorded(journal, *kinds)] == list(kinds)


def test_what_was_delivered_while_the_disk_filled_is_in_the_journal_later(open_desk, journal):
    desk = open_desk(Toy("touch a", "touch b"), journal=journal)
    prompt = desk.prompt()

    def fill():
        journal.full = True

    desk.pane.before_key = fill
    ended = desk.transport().respond(desk.session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    following = desk.prompt()
    journal.full = False
    desk.pane.before_key = None
    desk.transport().respond(desk.session_id, Response(following.request_id, "yes"))
    ends = [event.data["requestId"] for event in recorded(journal, "prompt_resolved")]
    assert ends == [prompt.request_id, following.request_id]
    assert desk.toy.decided == ["touch a: Yes", "touch b: Yes"]


def test_a_message_that_left_while_the_disk_filled_is_not_typed_again(open_desk, journal):
    desk = open_desk(Toy(), journal=journal)
    until(lambda: desk.session().state is SessionState.IDLE)

    def fill():
        journal.full = desk.toy.draft == "once"

    desk.pane.before_key = fill
    sent = desk.transport().message(desk.session_id, "once")
    assert sent.status == "sent"
    assert desk.toy.messages == ["once"]
    journal.full, desk.pane.before_key = False, None
    desk.transport().message(desk.session_id, "twice")
    until(lambda: desk.toy.messages == ["once", "twice"])
    until(lambda: list(desk.transport().queue(desk.session_id)) == [])
    sent = [event.data["message"] for event in recorded(journal, "message_sent")]
    assert sent == ["once", "twice"]


def test_a_message_that_was_refused_is_not_sent_later(open_desk, journal):
    desk = open_desk(Toy(), journal=journal)
    until(lambda: desk.session().state is SessionState.IDLE)
    journal.full = True
    with pytest.raises(Unavailable, match="disk is full"):
        desk.transport().message(desk.session_id, "not this one")
    journal.full = False
    desk.transport().message(desk.session_id, "this one")
    until(lambda: desk.toy.messages == ["this one"])


def test_a_session_that_ends_while_the_disk_is_full_has_ended(open_desk, journal):
    desk = open_desk(Toy("touch a"), journal=journal)
    prompt = desk.prompt()
    journal.full = True
    desk.pane.die(PaneEnd())
    until(lambda: desk.session().state is SessionState.ENDED)
    assert desk.transport().prompt(prompt.request_id).state is PromptState.CANCELLED
    journal.full = False
    desk.agent.store.mark(desk.session_id, "any", 1)
    assert recorded(journal, "session_status")[-1].data["state"] == "ended"
    assert [kept.state for kept in journal.kept().sessions] == [SessionState.ENDED]


def test_a_session_that_could_not_be_kept_was_not_started(open_desk, journal, tmp_path):
    desk = open_desk(Toy(), journal=journal)
    journal.full = True
    with pytest.raises(Unavailable, match="disk is full"):
        desk.transport().start(LaunchRequest("toy", str(tmp_path)))
    assert [session.id for session in desk.transport().sessions()] == [desk.session_id]


def test_while_the_disk_is_full_the_state_is_shown_and_kept_later(open_desk, journal):
    desk = open_desk(Toy(), journal=journal)
    until(lambda: desk.session().state is SessionState.IDLE)
    journal.full = True
    desk.toy.busy = True
    desk.show()
    until(lambda: desk.session().state is SessionState.BUSY)
    journal.full = False
    desk.agent.store.mark(desk.session_id, "any", 1)
    assert [kept.state for kept in journal.kept().sessions] == [SessionState.BUSY]


class Unsure(FakeTerminal):
    """A terminal that cannot say which process is its server."""

    def server(self):
        raise Unavailable("tmux refused this")


def test_a_pane_that_could_not_be_adopted_is_not_watched(open_desk):
    desk = open_desk(terminal=Unsure({"%9": Toy("touch a")}))
    with pytest.raises(Unavailable, match="tmux refused this"):
        desk.transport().adopt("%9", "toy")
    assert desk.transport().sessions() == []
    assert desk.terminal.watched["%9"].closed


def test_a_session_goes_on_after_a_restart_while_the_disk_is_full(open_desk, journal):
    desk = open_desk(Toy(), journal=journal)
    desk.until_idle()
    desk.dies()
    journal.full = True
    new = desk.reopened(open_desk)
    new.toy.busy = True
    new.show()
    until(lambda: new.live.seen.state is SessionState.BUSY)
    journal.full = False
    new.agent.store.mark(new.session_id, "any", 1)
    assert journal.kept().markers[new.session_id, "processes"]


def test_a_dialog_that_is_not_known_to_be_dismissed_once_is_asked(open_desk, journal):
    desk = open_desk(Toy(), journal=journal)
    desk.until_idle()
    journal.full = True
    desk.toy.asks = ["nudge"]
    desk.show()
    assert desk.prompt().form.dialog == "nudge"
    assert desk.toy.keys == []
