"""Rule 1: one appearance, one requestId."""

from __future__ import annotations

import time

import pytest
from demo_testbed import until

TWICE = [{"run": "make test", "output": "ok", "repeat": 2}]


def still_one(talk, prompt, change, shows=None):
    """The screen changes and is read again; the prompt is still the one that was asked first."""
    revision = talk.screen().revision
    change()
    until(lambda: talk.screen().revision > revision)
    if shows:
        talk.sees(shows)
    until(lambda: talk.live.sighting and talk.live.sighting.screen.text == talk.screen().text)
    assert [each.request_id for each in talk.pending()] == [prompt.request_id]
    assert len(talk.recorded("approval_required", "question_prompt")) == 1


def test_two_identical_prompts_in_a_row_are_two(demo):
    talk = demo.start(*demo.script(TWICE))
    first = talk.prompt()
    talk.answer(first, "yes-run-it")
    second = talk.prompt(first)
    assert second.form.description == first.form.description
    talk.answer(second, "no-don-t-run-it")
    assert [labels[0][:2] for labels, _ in talk.decided()] == ["Ye", "No"]


def test_they_are_two_also_when_nothing_between_them_was_ever_seen(demo):
    talk = demo.start(*demo.script(TWICE))
    first = talk.prompt()
    with talk.live.typing():
        talk.press("y")
        until(lambda: len(talk.logged("painted")) == 2)
    second = talk.prompt(first)
    assert talk.ended(first).state.value == "answered_elsewhere"
    assert talk.refused(first, "no-don-t-run-it").code == "already_answered"
    talk.answer(second, "yes-run-it")
    assert len(talk.decided()) == 2


def test_many_alike_that_scroll_are_as_many(demo):
    turn = [{"run": "make test", "output": f"{number} passed"} for number in range(8)]
    talk = demo.start(*demo.script(turn), rows=20)
    met = []
    for _ in range(8):
        met.append(talk.prompt(*met))
        talk.answer(met[-1], "yes-run-it")
    assert len({prompt.request_id for prompt in met}) == 8
    assert len(talk.decided()) == 8


@pytest.mark.parametrize("size", [(120, 40), (50, 18), (80, 20)])
def test_a_resize_is_the_same_prompt(demo, size):
    talk = demo.show("permission")
    prompt = talk.prompt()
    still_one(talk, prompt, lambda: talk.resize(*size))
    still_one(talk, prompt, lambda: talk.resize(80, 16))
    talk.answer(prompt, "yes-run-it")


def test_a_text_that_a_smaller_pane_cuts_is_the_same_prompt_and_stays_whole(demo):
    talk = demo.show("edit", cols=100, rows=40)
    prompt = talk.prompt()
    still_one(talk, prompt, lambda: talk.resize(60, 13), "more lines")
    now = talk.pending()[0]
    assert now.form.description == prompt.form.description
    assert not now.form.truncated


def test_moving_the_cursor_and_scrolling_is_the_same_prompt(demo):
    talk = demo.show("list")
    prompt = talk.prompt()
    still_one(talk, prompt, lambda: talk.press("Down"))
    still_one(talk, prompt, lambda: talk.press("PageDown", "PageDown"), "▲")
    assert talk.pending()[0].form.selected


def test_a_redraw_is_the_same_prompt(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    for cols in (79, 80, 81, 80):
        talk.resize(cols, 24)
    until(lambda: talk.screen().cols == 80)
    time.sleep(0.6)
    assert [each.request_id for each in talk.pending()] == [prompt.request_id]


def test_half_a_prompt_is_none_and_the_whole_is_one(demo):
    talk = demo.start("--show", "edit", "--slow", "0.8")
    talk.sees("Edit src/greet.py?")
    assert talk.pending() == []
    prompt = talk.prompt()
    assert len(prompt.form.options) == 3
    assert len(talk.recorded("approval_required")) == 1


def test_a_prompt_beside_a_spinner_is_one(demo):
    talk = demo.start("--show", "permission", "--spinner")
    prompt = talk.prompt()
    revision = talk.screen().revision
    until(lambda: talk.screen().revision > revision + 5)
    assert talk.pending() == [prompt]
    assert len(talk.recorded("approval_required", "prompt_updated")) == 1
    talk.answer(prompt, "yes-run-it")
