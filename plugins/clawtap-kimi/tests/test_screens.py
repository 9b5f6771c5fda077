"""What is read on screens of the real CLI, beyond their truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import clawtap_kimi
import pytest
from clawtap_kimi.keys.compose import compose
from clawtap_kimi.keys.control import control
from clawtap_kimi.launch import launch
from clawtap_kimi.screen.composer import find_composer
from clawtap_kimi.screen.prompt import detect_prompt, parse_prompt
from recorded_cli import LONG_ANSWER, RecordedCli

from clawtap_core import (
    Effect,
    Interrupt,
    Kind,
    LaunchRequest,
    Paste,
    Position,
    Press,
    SessionState,
    SwitchMode,
    SwitchModel,
)
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.screen_tracker import PromptSighting

NEW, OLD = "2.1.0", "0.30.0"
BOTH = pytest.mark.parametrize("version", [NEW, OLD])
SIZES = pytest.mark.parametrize("size", ["120x40", "60x20"])
RECORDED = RecordedCli(clawtap_kimi, Path(__file__).with_name("recordings"), NEW)
screen, form, state = RECORDED.screen, RECORDED.form, RECORDED.state


@BOTH
@SIZES
def test_a_command_reads_alike_at_every_size(version: str, size: str) -> None:
    asked = form("bash", version, size)
    assert (asked.title, asked.tool_name) == ("Run this command?", "Bash")
    assert asked.tool_input == {"command": "touch made.txt && ls", "cwd": "/home/me/proj"}
    assert asked.description == "touch made.txt && ls\nRuns it"
    effects = [option.effect for option in asked.options]
    assert effects == [Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS, Effect.DENY]
    assert asked.takes_reason


def test_the_row_that_names_the_keys_and_the_folder_are_cut_in_a_narrow_pane() -> None:
    asked = form("shell-narrow", "2.1.0", "40x20")
    assert (asked.tool_name, asked.truncated) == ("Bash", False)
    assert "cwd" not in (asked.tool_input or {})


@BOTH
def test_typed_words_change_neither_the_prompt_nor_its_options(version: str) -> None:
    asked = form("bash", version)
    for name in ("bash-second", "bash-feedback", "bash-feedback-typed"):
        typed = form(name, version)
        assert (typed.title, typed.description) == (asked.title, asked.description)
        assert typed.options == asked.options


@BOTH
def test_lines_of_a_command_are_told_from_wrapped_rows(version: str) -> None:
    command = "for f in one two; do\n  echo $f\ndone # a comment that is long enough to be wrapped "
    command += "at the width of a pane which has a hundred and twenty columns"
    asked = form("bash-lines", version, "60x20")
    assert asked.tool_input == {"command": command, "cwd": "/home/me/proj"}
    assert asked.rewrapped


@BOTH
def test_a_description_that_would_not_have_fitted_is_told_by_its_colour(version: str) -> None:
    asked = form("bash-lines", version)
    assert asked.tool_input is not None
    assert asked.tool_input["command"].endswith("hundred and twenty columns")
    assert asked.description.endswith("columns\nRuns it")
    shown = screen("bash-lines", version)
    plain = detect_prompt(replace(shown, captured=shown.lines))
    assert plain is not None
    assert plain.tool_input is not None
    assert plain.tool_input["command"].endswith("columns Runs it")


@BOTH
def test_no_rule_may_rely_on_what_a_commands_control_characters_have_drawn(version: str) -> None:
    for name in ("bash", "bash-lines", "bash-danger", "bash-wrapped", "subagent"):
        assert form(name, version).rewrapped


def test_a_call_that_is_painted_after_its_dialog_is_no_trace_of_an_answered_one() -> None:
    shown = screen("bash")
    assert form("bash").top is not None
    (call,) = (at for at, row in enumerate(shown.lines) if row.startswith(" ● "))
    rows = (*shown.captured[:call], "", *shown.captured[call + 1 :])
    early = detect_prompt(replace(shown, captured=rows))
    assert early is not None
    assert early.top is None


@BOTH
def test_a_dangerous_command_says_why(version: str) -> None:
    asked = form("bash-danger", version)
    assert asked.description == "Dangerous: recursive delete\nrm -rf build\nRuns it"
    assert asked.tool_input == {"command": "rm -rf build", "cwd": "/home/me/proj"}


@pytest.mark.parametrize("size", ["120x40", "60x20"])
def test_the_layout_for_the_full_screen_reads_alike(size: str) -> None:
    whole, usual = form("full-bash", size=size), form("bash", size=size)
    assert (whole.description, whole.options) == (usual.description, usual.options)
    assert form("full-ask").questions == form("ask").questions
    assert state("full-busy").streaming.startswith("once upon a time")
    assert state("full-idle").state is SessionState.IDLE


@BOTH
@SIZES
def test_a_command_whose_top_is_out_of_sight_has_no_input(version: str, size: str) -> None:
    cut = form("bash-long", version, size)
    assert (cut.truncated, cut.tool_name, cut.tool_input) == (True, "Bash", None)
    assert len(cut.options) == 3
    file = form("write-long", version, "60x20")
    assert (file.truncated, file.tool_input) == (True, None)
    assert file.tool_name != "Bash"


@BOTH
@pytest.mark.parametrize("name", ["write-long", "edit-long"])
def test_a_change_of_which_the_cli_hides_a_part_is_cut(version: str, name: str) -> None:
    change = form(name, version)
    assert (change.truncated, change.tool_input) == (True, None)
    assert "hidden" in change.description


@BOTH
def test_a_dialog_of_which_only_the_rule_is_out_of_sight_is_whole(version: str) -> None:
    low, whole = form("bash-low", version, "60x15"), form("bash", version)
    assert replace(low, top=None) == replace(whole, top=None)
    # A row of a file may read like a title.
    shown = screen("bash-low", version, "60x15")
    plain = detect_prompt(replace(shown, captured=shown.lines))
    assert plain is not None
    assert (plain.title, plain.truncated, plain.tool_input) == ("", True, None)


@BOTH
def test_a_command_in_view_tells_its_prompt_though_the_title_is_out_of_sight(version: str) -> None:
    lower, whole = form("bash-lower", version, "60x12"), form("bash", version)
    assert (lower.title, lower.truncated, lower.tool_input) == ("", True, None)
    assert same_prompt(whole, lower)
    assert same_prompt(lower, whole)
    assert not same_prompt(form("bash-once", version), lower)
    # Of a command whose beginning is out of sight, another one may have the end.
    assert not form("bash-long", version, "60x20").subject


@BOTH
def test_tools_are_told_apart_by_the_title(version: str) -> None:
    names = {name: form(name, version).tool_name for name in ("write", "edit", "mcp", "plan")}
    assert list(names.values()) == ["Write", "Edit", "mcp__lab__add", "ExitPlanMode"]
    assert form("write", version).tool_input == {"path": "/home/me/proj/new.txt"}
    assert "+ TWO" in form("edit", version).description


@BOTH
def test_a_plan_is_read_from_the_box_above_it(version: str) -> None:
    plan = form("plan", version)
    assert (plan.kind, plan.truncated) == (Kind.PLAN, False)
    assert plan.description == "The plan\n\n1. Write code\n2. Test it"
    assert [option.effect for option in plan.options] == [Effect.ALLOW_ONCE, Effect.DENY]
    assert plan.text_input is not None
    ways = form("plan-options", version)
    assert [option.label for option in ways.options] == ["This way", "That way", "Reject"]
    assert form("plan-long", version).truncated


@BOTH
def test_a_form_says_which_question_is_open(version: str) -> None:
    assert form("tabs", version).position == Position(1, 2)
    assert form("tabs-two", version).position == Position(2, 2)
    assert form("ask", version).position is None
    assert form("tabs", version).questions[0].header == "Parts"


@BOTH
def test_a_call_that_was_answered_above_an_equal_one_is_told_by_its_answer(version: str) -> None:
    before = PromptSighting(form("bash-once", version), screen("bash-once", version))
    assert before.answered(form("bash-again", version), screen("bash-again", version))


def test_a_call_that_is_drawn_above_a_prompt_is_not_its_call_answered() -> None:
    first, second = form("bash-first-of-two", OLD), form("bash-second-drawn", OLD)
    before = PromptSighting(first, screen("bash-first-of-two", OLD))
    assert not before.answered(second, screen("bash-second-drawn", OLD))
    any_row = replace(before, form=replace(first, answer_traces=None))
    assert any_row.answered(second, screen("bash-second-drawn", OLD))


@BOTH
def test_a_page_says_which_other_questions_have_no_answer(version: str) -> None:
    pages = ("tabs", "tabs-two", "tabs-review-missing", "tabs-review")
    assert [form(page, version).unanswered for page in pages] == [(2,), (), (2,), ()]


@BOTH
def test_a_question_reads_alike_where_its_tabs_left_the_pane(version: str) -> None:
    low, high = form("tabs-two-back", version, "60x20"), form("tabs-two-back", version)
    assert low.questions == high.questions
    assert low.selected == high.selected == "No"


@BOTH
def test_a_question_whose_top_left_the_pane_is_read_as_far_as_it_is_seen(version: str) -> None:
    low, high = form("ask-wrapped", version, "60x20"), form("ask-wrapped", version)
    assert (low.truncated, high.truncated) == (True, False)
    assert high.questions[0].question.endswith(low.questions[0].question)
    assert low.questions[0].options == high.questions[0].options
    assert same_prompt(low, high)


@BOTH
def test_a_question_whose_options_left_the_pane_is_not_read(version: str) -> None:
    low = screen("ask-wrapped", version, "60x20")
    first = next(at for at, line in enumerate(low.lines) if "[1]" in line)
    assert detect_prompt(replace(low, captured=low.captured[first - 1 :])) is not None
    assert detect_prompt(replace(low, captured=low.captured[first:])) is None


@BOTH
def test_the_field_for_words_of_ones_own_is_followed(version: str) -> None:
    names = ("ask", "ask-other", "ask-other-typed", "multi", "multi-other-saved")
    fields = []
    for name in names:
        parsed = parse_prompt(screen(name, version))
        assert parsed is not None
        assert parsed.field is not None
        fields.append((parsed.field.focused, parsed.field.text, parsed.field.key))
    assert fields == [
        (False, "", "3"),
        (True, "", None),
        (True, "MariaDB", None),
        (False, "", "4"),
        (False, "the docs", "4"),
    ]


def test_a_folder_is_trusted_by_a_dialog_that_is_never_dismissed() -> None:
    trust = form("trust")
    assert (trust.dialog, trust.dismiss) == ("folder-trust", None)
    assert trust.description.startswith("/home/me/proj\n\nProject-level MCP servers")
    assert [option.effect for option in trust.options] == [Effect.ALLOW_ALWAYS, Effect.DENY]


@BOTH
def test_drafts_and_modes_are_read(version: str) -> None:
    assert (state("idle", version).draft, state("idle", version).mode) == ("", "manual")
    assert state("idle-plan", version).mode == "plan"
    assert state("idle-yolo", version).mode == "yolo"
    assert state("idle-yolo-plan", version).mode == "plan"
    assert state("idle-auto", version).mode == "auto"
    assert state("draft", version).draft == "a draft"
    assert state("draft-lines", version).draft == "first line\nsecond line"
    assert state("draft-wrapped", version).draft == ("word and another " * 14).strip()
    assert state("draft-folded", version).draft == "[paste #1 +40 lines]"
    assert state("shell-draft", version).draft == "!ls -la"
    assert state("slash", version).draft == "/"


@BOTH
def test_a_draft_that_scrolls_shows_its_end(version: str) -> None:
    low = find_composer(screen("draft-8", version, "60x20"))
    assert low is not None
    assert low.draft.endswith("line 6\nline 7")
    assert not low.draft.startswith("line 0")


@BOTH
def test_an_answer_that_begins_with_a_heading_is_no_call(version: str) -> None:
    rows = state("busy-heading", version).streaming.split("\n")
    assert rows[0] == "All of it"
    assert rows[2].strip(" •-").startswith("From the alder to the alder and")


@BOTH
@pytest.mark.parametrize("name", ["busy", "busy-heading"])
def test_an_answer_without_colours_is_read(version: str, name: str) -> None:
    coloured = screen(name, version)
    plain = replace(coloured, captured=coloured.lines)
    seen = clawtap_kimi.detect_state(coloured, None)
    assert seen is not None
    assert seen.streaming
    assert clawtap_kimi.detect_state(plain, None) == seen


@BOTH
def test_the_answer_that_streams_is_read_and_a_thought_or_call_is_none(version: str) -> None:
    assert state("busy", version).streaming.startswith("once upon a time")
    assert state("busy-tool", version).streaming == ""
    assert state("busy-thinking", version).streaming == ""
    assert state("idle", version).streaming == ""


@pytest.mark.parametrize(
    ("version", "begun", "further"),
    [
        (NEW, ("birch to the larch", "elm to the e"), ("elm to the elm", "fir to")),
        (OLD, ("birch to the maple", "elm to"), ("fir to the alder", "hazel to th")),
    ],
)
def test_of_an_answer_longer_than_the_pane_the_visible_rows_are_read(
    version: str, begun: tuple[str, str], further: tuple[str, str]
) -> None:
    assert RECORDED.ends_of_long_answer(version) == [begun, further]
    for name in LONG_ANSWER:  # it might be a long message of the user
        assert state(name, version).streaming == ""


@BOTH
def test_a_list_of_the_cli_is_a_wait_without_a_prompt(version: str) -> None:
    for name in ("dlg-model", "dlg-permission", "undo"):
        assert detect_prompt(screen(name, version)) is None
        assert state(name, version).state is SessionState.WAITING


@BOTH
def test_escape_is_pressed_once_and_only_while_busy(version: str) -> None:
    steps = control(Interrupt(), screen("busy", version), None)
    assert steps is not None
    assert (steps.steps, steps.done) == ((Press("Escape", deciding=True),), True)
    assert control(Interrupt(), screen("idle", version), None) is None
    assert control(Interrupt(), screen("bash", version), None) is None


@BOTH
def test_plan_mode_is_switched_from_an_empty_composer_only(version: str) -> None:
    steps = control(SwitchMode("plan"), screen("idle", version), None)
    assert steps is not None
    assert steps.steps == (Press("BTab"),)
    assert control(SwitchMode("plan"), screen("draft", version), None) is None
    assert control(SwitchMode("plan"), screen("bash", version), None) is None
    assert control(SwitchMode("hologram"), screen("idle", version), None) is None
    assert control(SwitchModel("k3"), screen("idle", version), None) is None


@BOTH
def test_a_folded_paste_is_sent_and_another_text_is_not(version: str) -> None:
    text = "\n".join(f"line {number} of it" for number in range(40))
    placed = compose(text, screen("idle", version), None)
    assert placed is not None
    assert placed.steps[0] == Paste(text)
    sent = compose(text, screen("draft-folded", version), placed.progress)
    assert sent is not None
    assert sent.steps == (Press("Enter", deciding=True),)
    waits = compose(f"{text}\nmore", screen("draft-folded", version), placed.progress)
    assert waits is not None
    assert not any(isinstance(step, Press) for step in waits.steps)


@pytest.mark.parametrize(
    ("text", "placed"),
    [
        ("hello", "hello"),
        ("/etc/hosts is a file", " /etc/hosts is a file"),
        ("/status", "/status "),
        ("!important", " !important"),
        ("look at /etc/hosts", "look at /etc/hosts "),
        ("ends with \\", "ends with \\ "),
    ],
)
def test_a_message_is_pasted_so_that_its_enter_sends_it(text: str, placed: str) -> None:
    steps = compose(text, screen("idle"), None)
    assert steps is not None
    assert steps.steps[0] == Paste(placed)


def test_the_command_line_names_mode_model_and_conversation() -> None:
    request = LaunchRequest(
        "kimi", "/proj", model="k3", permission_mode="plan", resume="session_1", args=("-x",)
    )
    started = launch(request)
    assert started is not None
    assert started.argv == ("kimi", "--plan", "-m", "k3", "--session", "session_1", "-x")
    assert (started.cli_session_id, started.includes_message) == ("session_1", False)
    assert launch(LaunchRequest("kimi", "/proj", permission_mode="default")) is None
    usual = launch(LaunchRequest("kimi", "/proj", permission_mode="manual"))
    assert usual is not None
    assert usual.argv == ("kimi",)
