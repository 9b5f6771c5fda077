"""What is read of questions and plans."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clawtap_gemini.screen.prompt import parse_prompt

from clawtap_core import Effect, Kind
from clawtap_core.prompts.identity import same_prompt


def test_a_plan_has_its_text_its_options_and_a_field(form_of) -> None:
    form = form_of("0.61.0/plan-exit-120x40")
    assert form.kind is Kind.PLAN
    assert "1. Create login.html\n 2. Add the route" in form.description
    assert [option.effect for option in form.options] == [Effect.ALLOW_ALWAYS, Effect.ALLOW_ONCE]
    assert form.text_input is not None
    assert form.text_input.placeholder == "Type your feedback..."


def test_a_plan_whose_beginning_is_scrolled_below_its_headline_is_not_passed_for_whole(
    form_of,
) -> None:
    form = form_of("0.61.0/altbuffer-plan-120x40")
    assert (form.kind, form.truncated) == (Kind.PLAN, True)
    assert form.description.startswith("…\n 34. Step number 34 of this plan")


def test_a_numbered_list_in_the_field_does_not_hide_the_prompt(form_of, recording) -> None:
    screen = recording("0.61.0/plan-exit-120x40").screen
    lines = [line.replace("● 1.", "  1.") for line in screen.lines]
    lines = [line.replace("Enter to select · ↑/↓ to navigate", "Enter to submit") for line in lines]
    at = next(row for row, line in enumerate(lines) if "Type your feedback" in line)
    width = len(lines[at]) - 4
    lines[at : at + 1] = [
        f"│ {'● 3.  1. Add a logout':<{width}} │",
        f"│ {'      2. And tests':<{width}} │",
    ]
    form = form_of(replace(screen, captured=tuple(lines), cursor=None))
    assert len(form.options) == 2
    assert same_prompt(form, form_of(screen))


def test_a_question_in_tabs_knows_its_tab(form_of) -> None:
    form = form_of("0.61.0/ask-several-q2-120x40")
    assert form.position is not None
    assert (form.position.index, form.position.total) == (2, 4)
    assert form.questions[0].header == "Features"
    assert form.questions[0].multi_select
    assert form.more_options


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
@pytest.mark.parametrize(
    ("page", "unanswered"),
    [
        ("ask-several", (1, 2, 3, 4)),
        ("ask-several-q2", (2, 3, 4)),
        ("ask-several-q3-typed", (4,)),
        ("ask-several-review", ()),
    ],
)
def test_a_page_says_which_questions_have_no_answer(version, page, unanswered, form_of) -> None:
    assert form_of(f"{version}/{page}-120x40").unanswered == unanswered


def test_wrapped_labels_and_descriptions_are_joined_and_distinguished(form_of) -> None:
    wrapped = form_of("0.61.0/ask-wrapped-60x30")
    first = wrapped.questions[0].options[0]
    assert first.label.endswith("wraps on phones because it is so long")
    assert first.description is not None
    assert first.description.startswith("Description 1")
    assert wrapped.title.endswith("nobody wants to run a server?")


def test_a_check_box_that_is_broken_before_a_long_path_is_whole(recording) -> None:
    parsed = parse_prompt(recording("0.61.0/ask-long-paths-multi-checked-80x30").screen)
    assert parsed is not None
    assert [row.checked for row in parsed.rows] == [True, False, False]
    assert parsed.form.questions[0].multi_select


def test_a_row_for_free_text_is_no_option_whatever_it_says(form_of) -> None:
    for name in (
        "ask-wrapped-end-60x30",
        "ask-multi-typed-120x40",
        "ask-single-custom-typed-120x40",
    ):
        question = form_of(f"0.61.0/{name}").questions[0]
        offered = [option.label for option in question.options]
        assert question.other
        assert not {"Say it in your own words", "3 more", "half typed ans"} & set(offered)


def test_an_answer_of_before_leaves_no_mark_on_the_label(form_of) -> None:
    form = form_of("0.61.0/ask-several-q4-answered-120x40")
    assert [option.label for option in form.questions[0].options] == ["Yes", "No"]
