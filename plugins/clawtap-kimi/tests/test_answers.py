"""The keys of each answer, on screens of the real CLI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import clawtap_kimi
import pytest
from clawtap_kimi.keys.respond import respond
from clawtap_kimi.merge import merge_prompt
from recorded_cli import RecordedCli, typed

from clawtap_core import Kind, PromptForm, Response

NEW, OLD = "2.1.0", "0.30.0"
BOTH = pytest.mark.parametrize("version", [NEW, OLD])
RECORDED = RecordedCli(clawtap_kimi, Path(__file__).with_name("recordings"), NEW)
form_of, answer = RECORDED.form, RECORDED.answer


def call(tool: str, **arguments: Any) -> PromptForm:
    return PromptForm(Kind.UNKNOWN, tool, tool_name=tool, tool_input=arguments, tool_call_id="c1")


@BOTH
def test_a_digit_chooses_wherever_the_cursor_is(version: str) -> None:
    form = form_of("bash", version)
    for option, key in zip(form.options, "123", strict=True):
        chosen = Response("r", selected_option=option.value)
        for name in ("bash", "bash-second"):
            assert answer([name], chosen, version, form) == [key]


@BOTH
def test_a_reason_is_written_in_the_row_that_takes_it(version: str) -> None:
    form = form_of("bash", version)
    refused = Response("r", selected_option="reject", reason="use a temp folder")
    names = ["bash", "bash-feedback", "bash-feedback-typed"]
    assert answer(names, refused, version, form) == ["4", "use a temp folder", "Enter"]


@BOTH
def test_no_digit_is_pressed_while_the_row_takes_text(version: str) -> None:
    form = form_of("bash", version)
    allowed = Response("r", selected_option="approve-once")
    assert answer(["bash-feedback"], allowed, version, form) == ["Up"]


@BOTH
def test_a_plan_is_sent_back_with_what_should_be_different(version: str) -> None:
    form = form_of("plan", version)
    revised = Response("r", selected_option="reject", reason="more tests")
    names = ["plan", "plan-revise", "plan-revise-typed"]
    assert answer(names, revised, version, form) == ["3", "more tests", "Enter"]
    text = Response("r", text_value="more tests")
    assert answer(names, text, version, form) == ["3", "more tests", "Enter"]


@BOTH
def test_the_only_question_is_submitted_on_the_page_after_it(version: str) -> None:
    form = form_of("ask", version)
    names = ["ask", "ask-review", "answered"]
    assert answer(names, Response("r", answers={"0": "Postgres"}), version, form) == ["2", "1"]


@BOTH
def test_an_answer_of_ones_own_is_written_in_its_row_and_read_back(version: str) -> None:
    form = form_of("ask", version)
    own = Response("r", answers={"0": "MariaDB"})
    names = ["ask", "ask-other", "ask-other-typed", "ask-review", "answered"]
    assert answer(names, own, version, form) == ["3", "MariaDB", "Enter", "1"]


@BOTH
def test_several_are_ticked_words_of_ones_own_saved_and_all_submitted(version: str) -> None:
    form = form_of("multi", version)
    several = Response("r", answers={"0": ("API", "the docs")})
    names = ["multi", "multi-ticked", "multi-other", "multi-other-typed", "multi-other-saved"]
    pressed = answer([*names, "multi-review", "dismissed"], several, version, form)
    assert pressed == ["1", "4", "the docs", "Enter", "Tab", "1"]


@BOTH
def test_words_of_the_desk_are_left_out_of_the_answer(version: str) -> None:
    form, saved = form_of("multi", version), RECORDED.screen("multi-other-saved", version)
    response = Response("r", answers={"0": ("API",)})
    assert typed(respond(form, response, saved, None)) == ["4"]
    own = next(at for at, line in enumerate(saved.lines) if "] Other: " in line)
    # Without the tick they stay in view.
    without = tuple(
        line.replace("✓", " ") if at == own else line for at, line in enumerate(saved.captured)
    )
    assert typed(respond(form, response, replace(saved, captured=without), None)) == ["Tab"]


@BOTH
def test_questions_that_the_transcript_has_are_answered_tab_by_tab_in_one_go(version: str) -> None:
    parts = {"question": "Which parts?", "header": "Parts", "multi_select": True}
    parts["options"] = [{"label": label} for label in ("API", "UI", "DB")]
    deploy = {"question": "Deploy now?", "header": "Deploy", "options": [{"label": "No"}]}
    reported = call("AskUserQuestion", questions=[parts, deploy])
    form = merge_prompt(form_of("tabs", version), reported)
    assert form is not None
    assert len(form.questions) == 2
    response = Response("r", answers={"0": ("UI",), "1": "No"})
    names = ["tabs", "tabs-ticked", "tabs-two", "tabs-review", "dismissed"]
    assert answer(names, response, version, form) == ["2", "Tab", "2", "1"]


@BOTH
def test_a_question_whose_top_left_the_pane_is_completed_and_answered(version: str) -> None:
    whole = form_of("ask-wrapped", version).questions[0]
    listed = [{"label": option.label} for option in whole.options]
    other = {"question": "Deploy now?", "options": [{"label": "No"}]}
    asked = {"question": whole.question, "options": listed}
    seen = form_of("ask-wrapped", version, "60x20")
    form = merge_prompt(seen, call("AskUserQuestion", questions=[asked, other]))
    assert form is not None
    assert form.questions[0].question == whole.question
    assert not form.truncated
    answers = Response("r", answers={"0": "B", "1": "No"})
    assert answer(["ask-wrapped"], answers, version, form, size="60x20") == ["2"]
    later = merge_prompt(seen, call("AskUserQuestion", questions=[other, asked]))
    answers = Response("r", answers={"0": "No", "1": "B"})
    assert answer(["ask-wrapped"], answers, version, later, size="60x20") == ["Left"]
    assert merge_prompt(seen, call("AskUserQuestion", questions=[other])) is None


@BOTH
def test_a_page_with_gaps_is_left_to_the_user(version: str) -> None:
    form = form_of("tabs-two", version)
    names = ["tabs-two", "tabs-review-missing"]
    assert answer(names, Response("r", answers={"0": "No"}), version, form) == ["2"]
    review = form_of("tabs-review-missing", version)
    cancel = Response("r", answers={"0": "Cancel"})
    assert answer(["tabs-review-missing"], cancel, version, review) == ["2"]


@BOTH
def test_a_question_is_dismissed_by_escape(version: str) -> None:
    form = form_of("ask", version)
    assert answer(["ask"], Response("r", decision="deny"), version, form) == ["Escape"]


def test_a_folder_is_trusted_by_arrows_and_enter() -> None:
    form = form_of("trust", NEW)
    refused = Response("r", selected_option=form.options[1].value)
    assert answer(["trust", "trust-second"], refused, NEW, form) == ["Down", "Enter"]


@BOTH
def test_the_transcript_completes_a_cut_command_and_no_other(version: str) -> None:
    command = "for f in one two; do\n" + "\n".join(
        f"echo line {at} of a long command that goes on" for at in range(60)
    )
    seen = form_of("bash-long", version)
    assert seen.truncated
    assert seen.tool_input is None
    merged = merge_prompt(seen, call("Bash", command=command))
    assert merged is not None
    assert merged.tool_input == {"command": command}
    assert merged.description == command
    assert not merged.truncated
    assert merge_prompt(seen, call("Bash", command="rm -rf build")) is None
    assert merge_prompt(seen, call("Write", path="/x", content=command)) is None


@BOTH
def test_the_transcript_completes_a_plan_a_file_and_the_arguments_of_a_tool(version: str) -> None:
    plan = "# The plan\n\n" + "\n".join(f"{at}. Step number {at} of it" for at in range(1, 60))
    merged = merge_prompt(form_of("plan-long", version), call("ExitPlanMode", plan=plan))
    assert merged is not None
    assert (merged.description, merged.truncated) == (plan, False)
    content = "\n".join(f"line {at}" for at in range(30))
    path = "/home/me/proj/long.txt"
    written = merge_prompt(
        form_of("write-long", version), call("Write", path=path, content=content)
    )
    assert written is not None
    assert written.description.endswith("line 28\nline 29")
    other = call("Write", path="/home/me/proj/other.txt", content=content)
    assert merge_prompt(form_of("write-long", version), other) is None
    old = "".join(f"def price_{at}():\n    return sum('row {at}')\n\n" for at in range(60))
    seen = form_of("edit-long", version)
    path = seen.description.split("\n")[0].rsplit(" ", 1)[1]
    change = {"old_string": old, "new_string": old.replace("sum", "rounded_sum")}
    edited = merge_prompt(seen, call("Edit", path=path, **change))
    assert edited is not None
    assert not edited.truncated
    assert "+    return rounded_sum('row 59')" in edited.description
    for other_path in ("/home/me/proj/prices.py", "ces.py"):
        assert merge_prompt(seen, call("Edit", path=other_path, **change)) is None
    added = merge_prompt(form_of("mcp", version), call("mcp__lab__add", a=1, b=2))
    assert added is not None
    assert added.tool_input == {"a": 1, "b": 2}
    assert merge_prompt(form_of("bash", version), call("mcp__lab__add", a=1, b=2)) is None


@BOTH
def test_a_call_that_draws_over_its_prompt_is_shown_as_it_is(version: str) -> None:
    hidden = "rm -rf build" + "\b" * 12 + "touch made.txt && ls"
    over = "\x1b[3A\r   $ touch made.txt && ls"
    seen = form_of("bash", version)
    for command, description in ((hidden, "Runs it"), ("rm -rf build", over)):
        merged = merge_prompt(seen, call("Bash", command=command, description=description))
        assert merged is not None
        assert merged.tool_input is not None
        assert merged.tool_input["command"] == command
        assert merged.description.startswith("rm -rf build")
        assert merged.description.isprintable()


@BOTH
def test_a_call_that_draws_something_else_is_another(version: str) -> None:
    seen = form_of("bash", version)
    running = call("Bash", command="sleep 8; echo safe\x1b[1m", description="Waits")
    assert merge_prompt(seen, running) is None
    hidden = merge_prompt(seen, call("Bash", command="touch made.txt && ls\x1b[1m"))
    assert hidden is not None
    assert hidden.rewrapped


@BOTH
def test_a_rule_may_decide_a_command_only_once_the_transcript_has_it(version: str) -> None:
    seen = form_of("bash", version)
    merged = merge_prompt(seen, call("Bash", command="touch made.txt && ls"))
    assert merged is not None
    assert (seen.rewrapped, merged.rewrapped) == (True, False)
