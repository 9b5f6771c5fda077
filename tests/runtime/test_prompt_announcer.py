"""When what a screen shows is a new prompt, and when it is still the one that was announced."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from types import SimpleNamespace

import pytest

from clawtap_core import Kind, PromptForm, PromptState, Screen, SeenState, SessionState
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import SUCCESS, Session
from clawtap_core.prompts.screen_timings import SCREEN_TIMINGS as WAITS
from clawtap_core.prompts.screen_tracker import Observation
from clawtap_core.prompts.settling import PromptSettling
from clawtap_core.runtime.panes.current_prompt import CurrentPrompt
from clawtap_core.runtime.panes.prompt_announcer import PromptAnnouncer
from clawtap_core.runtime.panes.tool_calls import ToolCalls
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.terminal.api import DeskKeys

LONG_AGO = datetime(2026, 1, 1, tzinfo=timezone.utc)
FIRST = PromptForm(
    Kind.PERMISSION, "Run?", "date", tool_input={"command": "date"}, tool_call_id="1"
)
SECOND = replace(FIRST, description="ls", tool_input={"command": "ls"}, tool_call_id="2")
BLANK = Screen.from_text("", cols=80, rows=24)
WAITING = SeenState(SessionState.WAITING)


@pytest.fixture
def calls():
    merges = SimpleNamespace(
        merge_prompt=lambda seen, known: known if seen.description == known.description else None
    )
    calls = ToolCalls(merges)
    calls.learn(FIRST)
    calls.learn(SECOND)
    return calls


@pytest.fixture
def current():
    store = StateStore(MemoryJournal())
    store.add_session(
        Session("s", "toy", "terminal", "launched", "/", "t", LONG_AGO, LONG_AGO, pane="%1")
    )
    return CurrentPrompt(store, "s", 3.0, lambda: 0.0)


def see(announcer, now, form=None, *, new=False):
    announcer.update(Observation(BLANK, WAITING, form, new), DeskKeys(), now)


def end(calls):
    """The call that is asked about ends, as the transcript tells."""
    calls.current.status = SUCCESS


@pytest.mark.parametrize("answered_by_us", [False, True])
def test_the_prompt_after_one_that_outlived_its_call_is_one_prompt(calls, current, answered_by_us):
    announcer = PromptAnnouncer(current, calls, PromptSettling(), lambda _: False)
    see(announcer, 1, FIRST, new=True)
    first = current.prompt.request_id
    end(calls)
    see(announcer, 1.1, FIRST)
    if answered_by_us:
        announcer.forget()
    else:
        see(announcer, 1.5)
    see(announcer, 10, SECOND, new=True)
    second = current.prompt.request_id
    assert second != first
    end(calls)
    see(announcer, 10.1, SECOND)
    assert current.prompt.request_id == second
    see(announcer, 10.1 + WAITS.call_outlived, SECOND)
    assert current.prompt.request_id != second


def test_an_equal_prompt_whose_row_is_painted_late_is_one_prompt(calls, current):
    announcer = PromptAnnouncer(current, calls, PromptSettling(), lambda _: False)
    see(announcer, 1, FIRST, new=True)
    announcer.forget()  # it was answered
    see(announcer, 2, FIRST, new=True)
    assert current.prompt is None
    # The row of the second call comes above it, where that of an answered one would stand.
    see(announcer, 2.03, FIRST, new=True)
    see(announcer, 2.03 + WAITS.partial_frame, FIRST)
    second = current.prompt.request_id
    see(announcer, 3, FIRST)
    assert current.prompt.request_id == second


def test_another_prompt_is_announced_at_once(calls, current):
    announcer = PromptAnnouncer(current, calls, PromptSettling(), lambda _: False)
    see(announcer, 1, FIRST, new=True)
    announcer.forget()
    see(announcer, 2, SECOND, new=True)
    assert current.prompt.form.description == "ls"


@pytest.mark.parametrize("concluded", [False, True])
def test_a_plan_that_follows_another_at_once_is_no_sign_of_an_answer(current, concluded):
    calls = ToolCalls(SimpleNamespace(merge_prompt=lambda seen, call: call))
    calls.learn(PromptForm(Kind.PLAN, "Ready?", "1. Write", tool_call_id="1"))
    plan = PromptForm(Kind.PLAN, "Ready?", "1. Write\n2. Test")
    announcer = PromptAnnouncer(current, calls, PromptSettling(), lambda _: False)
    see(announcer, 1, plan, new=True)
    see(announcer, 2, plan)
    first = current.prompt.request_id
    if concluded:
        end(calls)
    # An editor at the desk left a part of it on the screen.
    see(announcer, 3, replace(plan, description="2. Test", truncated=True), new=True)
    state = current._store.find_prompt(first).state
    assert state is (PromptState.ANSWERED_ELSEWHERE if concluded else PromptState.CANCELLED)
