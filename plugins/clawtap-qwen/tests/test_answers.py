"""The keys of each answer, on screens of the real CLI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import clawtap_qwen
import pytest
from clawtap_qwen.keys.respond import respond
from clawtap_qwen.merge import merge_prompt
from clawtap_qwen.screen.prompt import parse_prompt
from clawtap_qwen.screen.questions import ReviewPrompt
from recorded_cli import RecordedCli

from clawtap_core import Kind, PromptForm, Question, Response
from clawtap_core.prompts.sanitize import show_control_chars

NEW = "0.24.4"
BOTH = pytest.mark.parametrize("version", [NEW, "0.15.10"])
RECORDED = RecordedCli(clawtap_qwen, Path(__file__).with_name("recordings"), NEW)
form_of, answer = RECORDED.form, RECORDED.answer


def call(tool: str, **arguments: object) -> PromptForm:
    return PromptForm(Kind.UNKNOWN, tool, tool_name=tool, tool_input=arguments, tool_call_id="c1")


@BOTH
def test_a_digit_chooses_wherever_the_cursor_is(version: str) -> None:
    form = form_of("shell", version)
    always = Response("r", selected_option=form.options[1].value)
    for name in ("shell", "shell-second", "shell-last"):
        assert answer([name], always, version, form) == ["2"]
    assert answer(["shell"], Response("r", decision="deny"), version, form) == ["Escape"]


@BOTH
def test_an_answer_of_ones_own_is_written_in_its_row_and_read_back(version: str) -> None:
    names = ["ask-single", "ask-single-second", "ask-single-custom", "ask-single-typed"]
    form = form_of("ask-single", version)
    own = Response("r", answers={"0": "a file of mine"})
    assert answer(names, own, version, form) == ["Down", "Down", "a file of mine", "Enter"]


@BOTH
def test_several_are_ticked_with_the_cursor_on_them_and_sent(version: str) -> None:
    form = form_of("ask-multi", version)
    ticked = Response("r", answers={"0": ("UI",)})
    names = ["ask-multi", "ask-multi-digit", "ask-multi-checked"]
    assert answer(names, ticked, version, form) == ["Down", "Space", "Enter"]


@BOTH
def test_a_text_is_sent_from_a_row_above_since_enter_in_the_field_may_untick_it(
    version: str,
) -> None:
    form = form_of("ask-multi", version)
    several = Response("r", answers={"0": ("UI", "docs too")})
    names = ["ask-multi-checked", "ask-multi-custom", "ask-multi-typed", "ask-multi-typed-away"]
    assert answer(names, several, version, form) == ["Down", "docs too", "Up", "Enter"]


@BOTH
@pytest.mark.parametrize(("count", "fits"), [(150, True), (250, False)])
def test_words_that_would_push_the_question_out_of_the_pane_are_refused(
    version: str, count: int, fits: bool
) -> None:
    own = Response("r", answers={"0": ("UI", "of my own " * count)})
    screen = RECORDED.screen("ask-multi", version)
    steps = respond(form_of("ask-multi", version), own, screen, None)
    assert steps is not None
    assert bool(steps.steps) == fits
    assert bool(steps.refused) != fits


@BOTH
def test_no_enter_is_pressed_in_an_empty_field_which_sends_nothing(version: str) -> None:
    form = form_of("ask-multi", version)
    ticked = Response("r", answers={"0": ("UI",)})
    names = ["ask-multi-custom", "ask-multi-checked"]
    assert answer(names, ticked, version, form) == ["Up", "Enter"]


@BOTH
def test_questions_that_the_transcript_has_are_answered_tab_by_tab_in_one_go(version: str) -> None:
    questions = [
        {"question": "Which parts?", "header": "Parts", "multiSelect": True, "options": []},
        {"question": "Deploy now?", "header": "Deploy", "options": [{"label": "No"}]},
    ]
    questions[0]["options"] = [{"label": "API"}, {"label": "UI"}]
    form = merge_prompt(
        form_of("ask-tabs", version), call("ask_user_question", questions=questions)
    )
    assert form is not None
    assert len(form.questions) == 2
    response = Response("r", answers={"0": ("API",), "1": "No"})
    names = ["ask-tabs", "ask-tabs-checked", "ask-tabs-two", "ask-tabs-review", "np-answered"]
    assert answer(names, response, version, form) == ["Space", "Enter", "2", "Enter"]
    # The CLI may skip a tab: the review shows the gap.
    names[2:2] = ["ask-tabs-review-missing"]
    assert answer(names, response, version, form) == ["Space", "Enter", "Left", "2", "Enter"]


@BOTH
def test_a_review_with_gaps_is_left_to_the_user(version: str) -> None:
    form = form_of("ask-tabs-two", version)
    names = ["ask-tabs-two", "ask-tabs-review-missing"]
    assert answer(names, Response("r", answers={"0": "No"}), version, form) == ["2"]
    review = form_of("ask-tabs-review-missing", version)
    cancel = Response("r", answers={"0": "Cancel"})
    screens = ["ask-tabs-review", "ask-tabs-review-cancel"]
    assert answer(screens, cancel, version, review) == ["Down", "Enter"]


@pytest.mark.parametrize(
    ("shown", "command"),
    [
        ("touch 'a\\u001b[2Jb' && rm -rf made", "touch 'a\x1b[2Jb' && rm -rf made"),
        ("-rf mad safe", "touch safe\rrm -rf made"),
    ],
)
def test_a_command_with_control_characters_is_completed(shown: str, command: str) -> None:
    seen = replace(form_of("shell", NEW), title="Allow execution of: 'touch'?")
    seen = replace(seen, description=shown, tool_input={"command": shown})
    merged = merge_prompt(seen, call("run_shell_command", command=command))
    assert merged is not None
    assert merged.tool_input == {"command": command}
    assert merged.description == show_control_chars(command)
    other = call("run_shell_command", command="date \x1b[2J")
    assert merge_prompt(seen, other) is None


@BOTH
@pytest.mark.parametrize("name", ["shell-long", "shell-wrapped"])
def test_the_transcript_completes_a_cut_command_and_no_other(version: str, name: str) -> None:
    long = "touch long.txt\n" + "\n".join(f"# line {at} of a long command" for at in range(60))
    wrapped = "touch " + " ".join(f"file-number-{at}.txt" for at in range(12))
    command, other = (long, wrapped) if name == "shell-long" else (wrapped, long)
    seen = form_of(name, version)
    merged = merge_prompt(seen, call("run_shell_command", command=command))
    assert merged is not None
    assert merged.tool_input == {"command": command}
    assert merged.description == command
    assert not merged.truncated
    assert merge_prompt(seen, call("run_shell_command", command=other)) is None
    assert merge_prompt(seen, call("write_file", file_path="/x", content=command)) is None


def test_a_command_that_a_low_pane_does_not_show_is_completed_by_a_call_of_its_programs() -> None:
    seen = form_of("shell-no-room", NEW, "80x12")
    assert seen.truncated
    command = "touch long.txt\n" + "\n".join(f"echo line {at} of it" for at in range(30))
    merged = merge_prompt(seen, call("run_shell_command", command=command))
    assert merged is not None
    assert (merged.description, merged.truncated) == (command, False)
    assert merge_prompt(seen, call("run_shell_command", command="mkdir long")) is None


@BOTH
def test_the_transcript_completes_a_cut_change(version: str) -> None:
    seen = replace(form_of("edit", version), truncated=True)
    path = seen.description.split("\n")[0]
    change = call("edit", file_path=f"/home/me/{path}", old_string="two", new_string="TWO")
    merged = merge_prompt(seen, change)
    assert merged is not None
    assert not merged.truncated
    assert merged.description == f"/home/me/{path}\n-two\n+TWO"


@BOTH
def test_the_transcript_completes_a_long_plan(version: str) -> None:
    plan = "# The plan\n\n" + "\n".join(f"{at}. Do step {at}" for at in range(1, 60))
    merged = merge_prompt(form_of("plan-long", version), call("exit_plan_mode", plan=plan))
    assert merged is not None
    assert merged.description == plan
    assert not merged.truncated


def test_a_plan_that_a_low_pane_has_no_room_for_is_completed() -> None:
    seen = form_of("plan-no-room", NEW, "80x12")
    assert seen.truncated
    merged = merge_prompt(seen, call("exit_plan_mode", plan="1. Do this"))
    assert merged is not None
    assert (merged.description, merged.truncated) == ("1. Do this", False)
    assert merge_prompt(seen, call("run_shell_command", command="ls")) is None


def test_an_answer_above_a_low_pane_is_chosen_by_its_digit_and_words_are_written() -> None:
    labels = [f"{letter} is one of the answers" for letter in "ABCD"]
    listed = [{"question": "Which?", "options": [{"label": label} for label in labels]}]
    seen = form_of("ask-first-cut", "0.15.10", "60x15")
    assert (seen.truncated, seen.more_options) == (True, True)
    whole = merge_prompt(seen, call("ask_user_question", questions=listed))
    assert whole
    assert [option.label for option in whole.questions[0].options] == labels
    for digit, label in enumerate(labels, 1):
        chosen = Response("r", answers={"0": label})
        pressed = answer(["ask-first-cut"], chosen, "0.15.10", whole, "60x15")
        assert pressed == [str(digit)]
    own = Response("r", answers={"0": "my own"})
    names = ["ask-first-cut", "ask-first-cut-own"]
    assert answer(names, own, "0.15.10", whole, "60x15") == ["Down"] * 5 + ["my own"]


@pytest.mark.parametrize(("hidden", "sent"), [(0, True), (1, False)])
def test_a_review_in_a_low_pane_is_sent_only_where_it_shows_all_answers(
    hidden: int, sent: bool
) -> None:
    screen = RECORDED.screen("ask-tabs-review")
    first = next(at for at, row in enumerate(screen.lines) if "Parts: API" in row) + hidden
    rows = screen.captured[first:]
    review = parse_prompt(replace(screen, captured=rows, rows=len(rows)))
    assert isinstance(review, ReviewPrompt)
    assert review.form.truncated
    questions = [Question("Which parts?", header="Parts"), Question("Now?", header="Deploy")]
    assert review.answers(questions) is sent
    assert not review.answers([Question("")])
