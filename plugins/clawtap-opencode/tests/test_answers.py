"""The keys of each answer, on screens of the real CLI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import clawtap_opencode
import pytest
from clawtap_opencode.keys.respond import respond
from clawtap_opencode.keys.reveal import reveal
from recorded_cli import RecordedCli, typed

from clawtap_core import Response

NEW = "1.18.33"
SIZES = ("120x40", "60x20")
RECORDED = RecordedCli(clawtap_opencode, Path(__file__).with_name("recordings"), NEW)
screen, form_of, answer = RECORDED.screen, RECORDED.form, RECORDED.answer


def test_a_button_is_reached_by_arrows_and_pressed_when_it_is_seen_to_be_chosen() -> None:
    reject = Response("r", selected_option="reject")
    assert answer(["bash", "bash-always", "bash-reject"], reject) == ["Right", "Right", "Enter"]
    assert answer(["bash-reject"], reject) == ["Enter"]
    once = Response("r", selected_option="allow-once")
    assert answer(["bash-reject", "bash-always", "bash"], once) == ["Left", "Left", "Enter"]


def test_the_reason_goes_into_the_field_that_a_subagents_refusal_opens() -> None:
    reject = Response("r", selected_option="reject", reason="use the trash")
    screens = ["bash-reject", "subagent-reject", "subagent-reject-typed", "busy"]
    assert answer(screens, reject) == ["Enter", "use the trash", "Enter"]


def test_the_refusal_is_complete_where_no_field_opens() -> None:
    reject = Response("r", selected_option="reject", reason="use the trash")
    assert answer(["bash-reject", *["rejected"] * 20], reject) == ["Enter"]
    form = form_of("bash-reject")
    chosen = respond(form, reject, screen("bash-reject"), None)
    assert chosen is not None
    # A look at a still screen takes a second.
    after = respond(form, reject, screen("rejected"), chosen.progress)
    assert after is not None
    assert after.done


def test_a_digit_chooses_an_answer() -> None:
    assert answer(["single-2"], Response("r", answers={"0": "SQLite"})) == ["1"]


def test_an_answer_of_ones_own_is_written_where_its_row_opens() -> None:
    screens = ["single", "single-other-open", "single-other-typed"]
    assert answer(screens, Response("r", answers={"0": "MariaDB"})) == ["3", "MariaDB", "Enter"]


def test_several_are_ticked_the_own_answer_written_and_all_submitted() -> None:
    response = Response("r", answers={"0": ("API", "docs")})
    screens = [
        *("multi", "multi-ticked", "multi-other-open", "multi-other-typed"),
        *("multi-other-entered", "multi-review", "busy"),
    ]
    assert answer(screens, response) == ["1", "4", "docs", "Enter", "Tab", "Enter"]


def test_words_of_the_desk_are_left_out_of_the_answer() -> None:
    form, entered = form_of("multi"), screen("multi-other-entered")
    response = Response("r", answers={"0": ("API",)})
    assert typed(respond(form, response, entered, None)) == ["4"]
    without = entered.captured[:]
    at = next(at for at, line in enumerate(entered.lines) if "4. [" in line)
    without = tuple(
        line.replace("✓", " ") if row == at else line for row, line in enumerate(without)
    )
    # Without the tick they stay in view.
    unticked = replace(entered, captured=without)
    assert typed(respond(form, response, unticked, None)) == ["Tab"]


def test_a_field_that_is_open_at_the_desk_is_closed_before_rows_are_ticked() -> None:
    response = Response("r", answers={"0": ("UI", "a film")})
    assert answer(["multi-other-typed"], response) == ["Escape"]


def test_answers_in_tabs_are_given_in_one_go_where_all_questions_are_known() -> None:
    shown = [form_of(name) for name in ("tabs-1", "tabs-2", "tabs-3")]
    questions = tuple(form.questions[0] for form in shown)
    form = replace(shown[0], questions=questions, position=None)
    response = Response("r", answers={"0": ("API",), "1": "Yes", "2": "Green"})
    screens = ["tabs-1", "tabs-1-ticked", "tabs-2", "tabs-3", "tabs-review", "busy"]
    assert answer(screens, response, form=form) == ["1", "Tab", "1", "2", "Enter"]


def test_a_review_with_gaps_is_left_to_the_user() -> None:
    form = form_of("tabs-3")
    response = Response("r", answers={"0": "Green"})
    steps = respond(form, response, screen("tabs-3"), None)
    assert steps is not None
    after = respond(form, response, screen("tabs-review-missing"), steps.progress)
    assert (typed(steps), typed(after)) == (["2"], [])
    review = form_of("tabs-review-missing")
    dismissed = respond(
        review, Response("r", answers={"0": "Dismiss"}), screen("tabs-review"), None
    )
    assert typed(dismissed) == ["Escape"]


def test_escape_dismisses_a_question_but_first_closes_its_field() -> None:
    deny = Response("r", decision="deny")
    assert answer(["single"], deny) == ["Escape"]
    assert answer(["single-other-open", "single-other"], deny) == ["Escape", "Escape"]


@pytest.mark.parametrize("size", SIZES)
def test_a_cut_text_is_opened_read_and_closed_again(size: str) -> None:
    cut, opened = screen("bash-long", size=size), screen("bash-long-fullscreen", size=size)
    form = form_of("bash-long", size=size)
    assert form.truncated
    assert form.expandable
    opening = reveal(form, cut, (form,), None)
    assert opening is not None
    assert typed(opening) == ["C-f"]
    seen = (form, form_of("bash-long-fullscreen", size=size))
    closing = reveal(form, opened, seen, opening.progress)
    assert closing is not None
    assert typed(closing) == ["C-f"]
    whole = reveal(form, cut, seen, closing.progress)
    assert whole is not None
    assert whole.done
    assert whole.form == seen[1]
