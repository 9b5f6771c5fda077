"""Prompts nobody knows, key pad, start-up dialogs, actions, events."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace

import pytest
from fake_terminal import Toy, until

from clawtap_core import Kind, Press, PromptState, SessionState, Steps
from clawtap_core.errors import BadRequest, Conflict, Impossible


def test_a_screen_nobody_knows_becomes_a_prompt_with_its_screen(open_desk):
    toy = Toy()
    toy.odd = "Press any key to launch the rockets"
    desk = open_desk(toy)
    prompt = desk.prompt()
    assert prompt.form.kind is Kind.UNKNOWN
    assert prompt.form.screen == toy.odd
    assert desk.session().state is SessionState.WAITING


def test_keys_go_only_to_the_screen_that_was_seen(open_desk):
    desk = open_desk(Toy())
    screen = desk.transport().screen(desk.session_id)
    desk.toy.draft = "somebody types"
    with pytest.raises(Conflict) as caught:
        desk.transport().keys(desk.session_id, screen.revision, keys=["Enter"])
    assert caught.value.code == "screen_changed"
    assert desk.toy.keys == []


@pytest.mark.parametrize(
    ("seen", "now"),
    [
        (" ⠋ Waits for input (esc to cancel, 9s)", " ⠙ Waits for input (esc to cancel, 1m 2s)"),
        ("✻ Waits… (59s · thinking)", "· Waits… (1m 0s · thinking)"),
    ],
)
def test_a_spinner_and_a_clock_do_not_keep_keys_away(open_desk, seen, now):
    desk = open_desk(Toy())
    desk.toy.odd = seen
    screen = desk.transport().screen(desk.session_id)
    desk.toy.odd = now
    desk.transport().keys(desk.session_id, screen.revision, keys=["Tab"])
    assert desk.toy.keys == ["Tab"]


@pytest.mark.parametrize(
    ("seen", "now"),
    [
        ("● 1. Yes\n  2. No", "  1. Yes\n● 2. No"),
        ("☐ Tests", "☑ Tests"),
        ("* 1 file", "* 2 files"),
        ("Delete 3 files?", "Delete 30 files?"),
    ],
)
def test_a_cursor_a_box_or_a_number_that_changed_keeps_keys_away(open_desk, seen, now):
    desk = open_desk(Toy())
    desk.toy.odd = seen
    screen = desk.transport().screen(desk.session_id)
    desk.toy.odd = now
    with pytest.raises(Conflict, match="the screen changed"):
        desk.transport().keys(desk.session_id, screen.revision, keys=["Enter"])
    assert desk.toy.keys == []


@pytest.mark.parametrize(
    ("keys", "text"), [([], ""), (["Bogus"], ""), ([], "two\nlines"), (["Enter"] * 51, "")]
)
def test_keys_that_are_no_keys_are_refused(open_desk, keys, text):
    desk = open_desk(Toy())
    with pytest.raises(BadRequest):
        desk.transport().keys(desk.session_id, 0, keys=keys, text=text)
    assert desk.toy.keys == []


def test_what_is_typed_on_the_key_pad_is_not_in_the_journal(open_desk):
    desk = open_desk(Toy())
    screen = desk.transport().screen(desk.session_id)
    desk.transport().keys(desk.session_id, screen.revision, text="hunter2")
    (event,) = [event for event in desk.journal.read() if event.type == "keys"]
    assert event.data["characters"] == 7
    assert "hunter2" not in event.json


def test_a_start_up_dialog_is_put_away_once_in_a_launched_session(open_desk):
    desk = open_desk(Toy("nudge", "nudge"))
    prompt = desk.prompt()
    assert desk.toy.decided == ["nudge: No"]
    assert prompt.form.dialog == "nudge"


def test_nothing_is_put_away_in_an_adopted_pane(open_desk):
    desk = open_desk(Toy("nudge"), adopt=True)
    assert desk.prompt().form.dialog == "nudge"
    assert desk.toy.keys == []


def test_an_interrupt_goes_only_to_a_busy_session(open_desk):
    desk = open_desk(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    with pytest.raises(Conflict):
        desk.transport().interrupt(desk.session_id)
    assert desk.toy.keys == []
    desk.toy.busy = True
    desk.show()
    desk.transport().interrupt(desk.session_id)
    assert desk.toy.keys == ["Escape"]
    assert desk.session().state is SessionState.IDLE


def test_an_interrupt_waits_for_a_cli_that_does_not_show_yet_that_it_works(open_desk):
    desk = open_desk(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    desk.toy.busy, desk.toy.history = True, ["not begun"]
    desk.show()

    def begin():
        desk.toy.history = []
        desk.show()

    timer = threading.Timer(0.3, begin)
    timer.start()
    desk.transport().interrupt(desk.session_id)
    timer.join()
    assert desk.toy.keys == ["Escape"]


def test_an_interrupt_that_the_cli_cannot_take_now_is_refused_and_nothing_typed(open_desk):
    desk = open_desk(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    desk.toy.busy, desk.toy.history = True, ["not begun"]
    desk.show()
    with pytest.raises(Impossible):
        desk.transport().interrupt(desk.session_id)
    assert desk.toy.keys == []


def test_an_interrupt_behind_a_list_of_the_cli_says_what_is_in_its_way(open_desk):
    desk = open_desk(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    desk.toy.busy = True
    desk.show()
    until(lambda: desk.session().state is SessionState.BUSY)
    desk.toy.odd = "Sessions                    esc"
    desk.show()
    with pytest.raises(Conflict, match="something else than the composer is open"):
        desk.transport().interrupt(desk.session_id)
    assert desk.toy.keys == []


def test_a_mode_switch_reports_what_the_screen_shows(open_desk):
    desk = open_desk(Toy())
    until(lambda: desk.session().mode == "default")
    assert desk.transport().permission_mode(desk.session_id, "edits").mode == "edits"
    with pytest.raises(BadRequest):
        desk.transport().permission_mode(desk.session_id, "bogus")
    with pytest.raises(Impossible):
        desk.transport().model(desk.session_id, "gpt")


def test_no_switch_while_a_prompt_is_open_or_a_draft_stands(open_desk):
    desk = open_desk(Toy("touch a"))
    desk.prompt()
    with pytest.raises(Conflict):
        desk.transport().permission_mode(desk.session_id, "edits")
    desk.toy.choose("No")
    desk.toy.draft = "half a thought"
    with pytest.raises(Conflict):
        desk.transport().permission_mode(desk.session_id, "edits")
    assert desk.toy.keys == []


def test_a_reader_without_a_past_gets_a_snapshot_and_then_what_happens(open_desk):
    desk = open_desk(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    reader = desk.transport().events(idle=0.5)
    first = next(reader)
    assert first.type == "snapshot"
    assert first.data["sessions"][0]["id"] == desk.session_id
    desk.toy.asks.append("touch a")
    desk.show()
    kinds = [event.type for event in itertools.takewhile(bool, reader)]
    assert "approval_required" in kinds
    assert "session_status" in kinds
    reader.close()


def test_a_reader_goes_on_where_it_was(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    epoch = desk.journal.epoch
    replayed = list(itertools.takewhile(bool, desk.transport().events(f"{epoch}-0", idle=0.1)))
    assert [e.seq for e in replayed] == sorted(e.seq for e in replayed)
    assert prompt.request_id in [e.data.get("requestId") for e in replayed]
    other = desk.transport().events("another-1", idle=0.1)
    assert next(other).type == "snapshot"
    other.close()


def test_the_end_of_a_pane_cancels_its_prompt(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.pane.die()
    until(lambda: desk.session().state is SessionState.ENDED)
    assert desk.transport().prompt(prompt.request_id).state is PromptState.CANCELLED
    with pytest.raises(Conflict):
        desk.transport().screen(desk.session_id)
    desk.transport().end(desk.session_id)
    assert list(desk.transport().sessions()) == []


@pytest.mark.parametrize(
    ("over_ssh", "state"), [(False, SessionState.WAITING), (True, SessionState.ENDED)]
)
def test_last_words_on_a_screen_end_a_session_only_where_no_process_tells(
    open_desk, over_ssh, state
):
    """An agent may have quoted them, above a list that the desk opened."""
    desk = open_desk(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    desk.pane.shows_terminal = over_ssh
    desk.toy.odd = "goodbye"
    desk.show()
    until(lambda: desk.session().state is state)
    desk.toy.odd = ""
    desk.show()
    until(lambda: desk.session().state is SessionState.IDLE)


def cut_prompt(desk, **more):
    """Ask something of which the screen shows only a part."""
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    read = adapter.detect_prompt

    def detect_prompt(screen):
        form = read(screen)
        return replace(form, truncated=True, **more) if form else None

    adapter.detect_prompt = detect_prompt
    desk.toy.asks.append("make te")
    desk.show()
    return desk.prompt(), adapter


def test_a_cut_text_is_opened_where_the_cli_can_show_it(open_desk):
    desk = open_desk(Toy())
    prompt, adapter = cut_prompt(desk, expandable=True)
    whole = replace(prompt.form, description="make test", truncated=False)
    adapter.reveal = lambda *_: Steps((Press("f"),), done=True, form=whole)
    opened = desk.transport().expand(desk.session_id, prompt.request_id)
    assert (opened.form.description, opened.form.truncated) == ("make test", False)
    assert desk.toy.keys == ["f"]
    # The screen still shows it cut.
    desk.show()
    assert desk.transport().prompt(prompt.request_id).form.description == "make test"


def test_a_cut_text_that_the_cli_cannot_open_is_left_alone(open_desk):
    desk = open_desk(Toy())
    prompt, _ = cut_prompt(desk)
    assert desk.transport().expand(desk.session_id, prompt.request_id) == prompt
    assert desk.toy.keys == []
