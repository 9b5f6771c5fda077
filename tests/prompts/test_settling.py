"""A new prompt is announced when what decides about it has stood still."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawtap_core import Effect, Kind, Option, Position, PromptForm, Question
from clawtap_core.prompts.screen_timings import SCREEN_TIMINGS
from clawtap_core.prompts.settling import (
    PromptSettling,
)

ASK = PromptForm(
    Kind.PERMISSION,
    "Run?",
    "touch made.txt",
    tool_name="Bash",
    options=(Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY)),
    top=3,
)


@pytest.fixture
def settling():
    held_back = PromptSettling()
    held_back.begin(0.0)
    return held_back


def test_a_whole_prompt_is_announced_at_once(settling):
    assert settling.remaining(ASK, ASK, 0.0) == 0


@pytest.mark.parametrize(
    ("form", "patience"),
    [
        (replace(ASK, description=""), SCREEN_TIMINGS.part_comes),
        (replace(ASK, description="touch", truncated=True), SCREEN_TIMINGS.body_comes),
    ],
)
def test_a_prompt_without_its_body_or_with_a_part_of_it_gets_time_to_show_more(
    settling, form, patience
):
    assert settling.remaining(form, form, 0.0) == pytest.approx(patience)
    assert settling.remaining(form, form, patience) == 0


@pytest.mark.parametrize(
    "frame",
    [
        replace(ASK, description="", tool_name=None),
        replace(ASK, description=" \n\n", tool_input={"command": ""}),
    ],
)
def test_a_frame_painted_before_its_command_is_held_back(settling, frame):
    assert settling.remaining(frame, frame, 0.0) > 0
    assert settling.remaining(ASK, ASK, 0.1) == 0


def test_a_plan_that_its_cli_may_still_measure_and_cut_is_held_back(settling):
    # The Gemini CLI paints a long plan without the line that says how much of it is hidden.
    plan = replace(ASK, kind=Kind.PLAN, tool_name="exit_plan_mode", description="1\n2\n3")
    assert settling.remaining(plan, plan, 0.0) == pytest.approx(SCREEN_TIMINGS.body_comes)
    cut = replace(plan, description="1\n2", truncated=True)
    assert settling.remaining(cut, cut, 0.05) == pytest.approx(SCREEN_TIMINGS.body_comes)
    assert settling.remaining(cut, cut, 0.05 + SCREEN_TIMINGS.body_comes) == 0


def test_a_start_up_dialog_may_ask_with_its_title_alone(settling):
    dialog = replace(ASK, description="", tool_name=None, dialog="folder-trust")
    assert settling.remaining(dialog, dialog, 0.0) == 0


def test_a_body_that_comes_late_ends_the_wait(settling):
    empty = replace(ASK, description="")
    settling.remaining(empty, empty, 0.0)
    assert settling.remaining(ASK, ASK, 0.1) == 0


def test_a_label_that_its_cli_may_still_complete_is_not_announced_before_it_is_complete(settling):
    half = replace(ASK, provisional=True)
    assert settling.remaining(half, half, 0.0) == pytest.approx(SCREEN_TIMINGS.part_comes)
    whole = replace(ASK, options=(*ASK.options, Option("always", "Always")))
    assert settling.remaining(whole, whole, 0.05) == 0


def test_a_label_that_its_cli_does_not_complete_is_announced_in_time(settling):
    half = replace(ASK, provisional=True)
    settling.remaining(half, half, 0.0)
    assert settling.remaining(half, half, SCREEN_TIMINGS.part_comes) == 0


def test_a_form_whose_other_questions_are_not_known_yet_waits_for_them(settling):
    first = Question("Which?")
    seen = PromptForm(Kind.QUESTION, "Which?", questions=(first,), position=Position(1, 2))
    assert settling.remaining(seen, seen, 0.0) == pytest.approx(SCREEN_TIMINGS.questions_come)
    known = replace(seen, questions=(first, Question("When?")), position=None)
    assert settling.remaining(seen, known, 0.1) == 0


def test_a_form_whose_transcript_always_has_all_of_it_waits_longer_for_them():
    settling = PromptSettling(reports_questions=True)
    settling.begin(0.0)
    first = Question("Which?")
    seen = PromptForm(Kind.QUESTION, "Which?", questions=(first,), position=Position(1, 2))
    for now in (0.0, SCREEN_TIMINGS.questions_come, SCREEN_TIMINGS.prompt_held):
        assert settling.remaining(seen, seen, now) > 0
    known = replace(seen, questions=(first, Question("When?")), position=None)
    assert settling.remaining(seen, known, SCREEN_TIMINGS.prompt_held) == 0
    assert settling.remaining(seen, seen, SCREEN_TIMINGS.questions_reported) == 0


def test_what_never_stands_still_is_announced_at_last(settling):
    now = 0.0
    while now < SCREEN_TIMINGS.prompt_held:
        growing = replace(ASK, description=f"touch {now}", truncated=True)
        assert settling.remaining(growing, growing, now) > 0
        now += 0.1
    assert settling.remaining(ASK, ASK, SCREEN_TIMINGS.prompt_held) == 0


def test_a_prompt_that_nobody_knows_has_stood_still_already(settling):
    form = PromptForm(Kind.UNKNOWN, "?", screen="what is this")
    assert settling.remaining(form, form, 0.0) == 0


def test_an_option_whose_label_is_not_painted_yet_is_waited_for(settling):
    part = replace(ASK, options=(ASK.options[0], replace(ASK.options[1], label="")))
    assert settling.remaining(part, part, 0.0) == pytest.approx(SCREEN_TIMINGS.part_comes)
    assert settling.remaining(ASK, ASK, 0.1) == 0
