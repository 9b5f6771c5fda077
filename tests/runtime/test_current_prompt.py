"""Who ended a prompt that left the screen without an answer of ours."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest
from manual_time import ManualTime

from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Actor, Kind, Position, PromptForm, Session
from clawtap_core.runtime.panes.current_prompt import CurrentPrompt
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.terminal.api import DeskKeys

LONG_AGO = datetime(2026, 1, 1, tzinfo=timezone.utc)
FORM = PromptForm(Kind.PERMISSION, "Run ls?")
FIRST = PromptForm(Kind.QUESTION, "Where?", position=Position(1, 2), unanswered=(1, 2))
SECOND = replace(FIRST, title="When?", position=Position(2, 2))


@pytest.fixture
def clock():
    return ManualTime()


@pytest.fixture
def current(clock):
    store = StateStore(MemoryJournal())
    store.add_session(
        Session("s", "toy", "terminal", "launched", "/", "t", LONG_AGO, LONG_AGO, pane="%1")
    )
    return CurrentPrompt(store, "s", 3.0, clock.scheduler.now)


def outcome(current, desk_keys, seen=None):
    """How the prompt ends when it leaves now for what is seen, and who ended it."""
    name = current.prompt.request_id
    current.left(desk_keys, seen)
    resolution = current._store.find_prompt(name).resolution
    return resolution.outcome.value, resolution.by


@pytest.mark.parametrize("after", [0.0, 0.2])
@pytest.mark.parametrize(
    ("typed", "expected"),
    [(True, ("answered_elsewhere", "someone")), (False, ("cancelled", "Ann"))],
)
def test_a_message_sent_before_a_prompt_did_not_end_it_if_the_desk_typed_since(
    current, clock, typed, expected, after
):
    current.keys_pressed(DeskKeys(), Actor("Ann"), "a message")
    clock.advance(after)
    current.appeared(FORM, DeskKeys(0, 0))
    clock.advance(0.5)
    assert outcome(current, DeskKeys(int(typed), 0)) == expected


@pytest.mark.parametrize("typed", [DeskKeys(1, 0), DeskKeys(0, 9)])
def test_a_message_did_not_end_the_list_that_the_desk_opened_after_it(current, clock, typed):
    """Seen on Codex 0.171.0: `/model` was opened at the desk, and a permission covered it."""
    current.keys_pressed(DeskKeys(0, 8), Actor("Ann"), "a message")
    clock.advance(1)
    current.appeared(FORM, typed)
    clock.advance(1)
    assert outcome(current, typed)[0] == "answered_elsewhere"


def test_a_message_sent_into_a_prompt_ended_it_though_the_desk_typed_too(current, clock):
    current.appeared(FORM, DeskKeys(0, 0))
    clock.advance(0.2)
    current.keys_pressed(DeskKeys(), Actor("Ann"), "a message")
    clock.advance(0.2)
    assert outcome(current, DeskKeys(1, 0)) == ("cancelled", "Ann")


def test_a_message_sent_before_a_prompt_that_was_answered_did_not_end_the_next_one(current, clock):
    current.keys_pressed(DeskKeys(), Actor("Ann"), "a message")
    current.appeared(FORM, DeskKeys(0, 0))
    current.forget()
    clock.advance(0.5)
    current.appeared(FORM, DeskKeys(0, 0))
    clock.advance(0.5)
    assert outcome(current, DeskKeys(0, 0)) == ("answered_elsewhere", "unknown")


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (SECOND, "cancelled"),
        (replace(SECOND, title="Review", position=None), "cancelled"),
        (replace(SECOND, unanswered=(2,)), "answered_elsewhere"),
        (FORM, "answered_elsewhere"),
    ],
)
def test_a_question_left_for_another_page_is_answered_only_if_that_page_says_so(
    current, seen, expected
):
    current.appeared(FIRST, DeskKeys(0, 0))
    assert outcome(current, DeskKeys(1, 0), seen) == (expected, "someone")


def test_nobody_answered_a_question_that_keys_of_ours_left_for_another_page(current):
    current.appeared(FIRST, DeskKeys(0, 0))
    current.keys_pressed(DeskKeys(), Actor("Ann"))
    assert outcome(current, DeskKeys(0, 0), SECOND) == ("cancelled", "Ann")
