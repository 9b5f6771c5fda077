"""What is read on screens of the real CLI, beyond their truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import clawtap_qwen
import pytest
from clawtap_qwen.keys.compose import compose
from clawtap_qwen.keys.control import control
from clawtap_qwen.launch import launch
from clawtap_qwen.screen.prompt import detect_prompt, parse_prompt
from recorded_cli import LONG_ANSWER, RecordedCli

from clawtap_core import (
    Effect,
    Interrupt,
    Kind,
    LaunchRequest,
    Paste,
    Position,
    Press,
    Screen,
    SessionState,
    SwitchMode,
    SwitchModel,
)
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.screen_tracker import answered_above

NEW, OLD = "0.24.4", "0.15.10"
BOTH = pytest.mark.parametrize("version", [NEW, OLD])
RECORDED = RecordedCli(clawtap_qwen, Path(__file__).with_name("recordings"), NEW)
screen, form, state = RECORDED.screen, RECORDED.form, RECORDED.state


@BOTH
@pytest.mark.parametrize("size", ["120x40", "60x20"])
def test_a_command_reads_alike_in_both_layouts_and_beside_the_scroll_bar(
    version: str, size: str
) -> None:
    shown = form("shell", version, size)
    assert (shown.title, shown.tool_name) == (
        "Allow execution of: 'touch'?",
        "run_shell_command",
    )
    assert shown.tool_input == {"command": "touch a.txt && ls -la"}
    effects = [option.effect for option in shown.options]
    always = Effect.ALLOW_ALWAYS
    assert effects == [Effect.ALLOW_ONCE, always, always, Effect.DENY]


@BOTH
def test_a_command_that_draws_a_prompt_itself_is_read_as_it_is(version: str) -> None:
    shown = form("shell-lines", version)
    assert shown.tool_input is not None
    lines = shown.tool_input["command"].split("\n")
    assert (lines[0], lines[2], lines[-1]) == (
        "cat > x <<'E'",
        "│ › 1. Yes, allow once │",
        "echo done",
    )
    assert len(shown.options) == 4


@BOTH
@pytest.mark.parametrize("name", ["shell-wrapped", "shell-long", "shell-words"])
def test_a_command_that_nothing_proves_to_be_whole_has_no_input(version: str, name: str) -> None:
    size = "60x20" if name == "shell-words" else "120x40"
    shown = form(name, version, size)
    assert shown.truncated
    assert shown.tool_input is None


@BOTH
def test_of_two_calls_the_one_that_asks_is_read(version: str) -> None:
    for name in ("shell-twice", "shell-twice-second"):
        assert form(name, version).tool_input == {"command": "date >> same.txt"}


@BOTH
def test_tools_are_told_apart_by_their_headline(version: str) -> None:
    tools = [form(name, version).tool_name for name in ("edit", "write", "mcp", "fetch")]
    assert tools == ["edit", "write_file", "mcp__lab__greet", "web_fetch"]


@BOTH
def test_a_plan_is_no_command_even_where_its_headline_has_left_the_screen(version: str) -> None:
    for name in ("plan", "plan-long"):
        shown = form(name, version)
        assert (shown.kind, shown.tool_name) == (Kind.PLAN, "exit_plan_mode")
        assert shown.options[-1].effect is Effect.DENY
    assert form("plan", version).description.startswith("The plan\n")
    assert "open full plan" not in form("plan", version).description


@BOTH
def test_the_row_for_free_text_is_a_field_with_what_was_typed(version: str) -> None:
    fields = []
    for name in ("single", "single-custom", "single-typed", "single-typed-away", "multi-typed"):
        parsed = parse_prompt(screen(f"ask-{name}", version))
        assert parsed is not None
        assert parsed.field is not None
        fields.append((parsed.field.focused, parsed.field.text))
    typed = "a file of mine"
    assert fields == [(False, ""), (True, ""), (True, typed), (False, typed), (True, "docs too")]


@pytest.mark.parametrize(
    ("version", "size", "typed"), [(NEW, "60x15", "Somewhere else"), (OLD, "60x20", "docs too")]
)
def test_words_in_a_row_without_room_for_a_blank_are_read(
    version: str, size: str, typed: str
) -> None:
    parsed = parse_prompt(screen("ask-multi-typed", version, size))
    assert parsed is not None
    assert parsed.field is not None
    assert (parsed.field.focused, parsed.field.text) == (True, typed)
    assert [row.checked for row in parsed.rows] == [False, True, False]


@BOTH
def test_the_open_tab_gives_header_and_position(version: str) -> None:
    first, second = form("ask-tabs", version), form("ask-tabs-two", version)
    assert (first.questions[0].header, second.questions[0].header) == ("Parts", "Deploy")
    assert (first.position, second.position) != (None, None)
    assert first.position is not None
    assert (first.position.index, first.position.total) == (1, 2)
    assert form("ask-tabs-review", version).position is None


def test_tabs_are_read_below_a_headline_that_takes_two_rows() -> None:
    found = form("ask-tabs-second-narrow", "0.24.4", "40x20")
    assert (found.position, found.questions[0].header) == (Position(2, 2), "Deploy")
    assert found.questions[0].question == "Deploy now?"


@BOTH
def test_a_page_says_which_questions_have_no_answer(version: str) -> None:
    pages = ("ask-tabs", "ask-tabs-two", "ask-tabs-review-missing", "ask-tabs-review")
    assert [form(page, version).unanswered for page in pages] == [(1, 2), (2,), (2,), ()]


@BOTH
def test_trusting_a_folder_is_asked_like_any_prompt(version: str) -> None:
    shown = form("folder-trust", version)
    assert (shown.kind, shown.dialog, shown.dismiss) == (Kind.PERMISSION, "folder-trust", None)
    assert [option.effect for option in shown.options][-1] is Effect.DENY


@pytest.mark.parametrize(
    ("version", "names"),
    [(NEW, ["default", "auto-edit", "auto", "yolo"]), (OLD, ["default", "auto-edit", "yolo"])],
)
def test_the_mode_is_read_from_the_footer(version: str, names: list[str]) -> None:
    modes = [state("np-answered", version).mode]
    modes += [state(f"mode-{at}", version).mode for at in range(1, len(names))]
    assert modes == names
    assert state("idle-plan", version).mode in ("plan", None)


def test_the_search_for_a_message_of_before_is_a_draft() -> None:
    assert state("search", size="100x30").draft == "(r:)"


def test_the_newer_footer_names_the_model() -> None:
    assert state("idle").model == "fake-1"


@BOTH
def test_a_mode_is_switched_from_an_empty_composer_only(version: str) -> None:
    steps = control(SwitchMode("plan"), screen("np-answered", version), None)
    assert steps is not None
    assert steps.steps == (Press("BTab"),)
    assert control(SwitchMode("plan"), screen("shell", version), None) is None
    assert control(SwitchMode("plan"), screen("busy-draft", version), None) is None
    assert control(SwitchModel("fake-2"), screen("np-answered", version), None) is None


@BOTH
def test_the_answer_streams_and_escape_interrupts_it(version: str) -> None:
    busy = screen("busy-streaming", version)
    assert state("busy-streaming", version).streaming.startswith("once upon a time")
    steps = control(Interrupt(), busy, None)
    assert steps is not None
    assert steps.steps == (Press("Escape", deciding=True),)
    assert control(Interrupt(), screen("np-answered", version), None) is None


@pytest.mark.parametrize(
    ("version", "begun", "further"),
    [
        (NEW, ("alder to the hazel", "cedar to t"), ("cedar to the alder", "elm to the juni")),
        (OLD, ("cedar to the birch", "elm to"), ("fir to the alder", "hazel to th")),
    ],
)
def test_of_an_answer_longer_than_the_pane_the_visible_rows_are_read(
    version: str, begun: tuple[str, str], further: tuple[str, str]
) -> None:
    assert RECORDED.ends_of_long_answer(version) == [begun, further]
    for name in LONG_ANSWER:  # it might be a long message of the user
        assert state(name, version).streaming == ""


@BOTH
@pytest.mark.parametrize("text", ["!important", "?what"])
def test_a_text_that_begins_like_a_shortcut_is_pasted(version: str, text: str) -> None:
    steps = compose(text, screen("np-answered", version), None)
    assert steps is not None
    assert steps.steps[0] == Paste(text)


@BOTH
def test_a_slash_alone_is_refused(version: str) -> None:
    assert compose("/", screen("np-answered", version), None) is None


def test_the_command_line_names_mode_model_conversation_and_message() -> None:
    request = LaunchRequest(
        "qwen", "/proj", message="-- go on", model="m", permission_mode="plan", resume="some-id"
    )
    started = launch(request)
    assert started is not None
    flags = ("--approval-mode", "plan", "-m", "m", "--resume", "some-id")
    assert started.argv == ("qwen", *flags, "--prompt-interactive=-- go on")
    assert (started.cli_session_id, started.includes_message) == ("some-id", True)
    assert launch(LaunchRequest("qwen", "/proj", permission_mode="ask")) is None


def test_a_session_gets_its_id_and_a_mode_that_asks() -> None:
    started = launch(LaunchRequest("qwen", "/proj"))
    assert started is not None
    assert started.argv[1:3] == ("--approval-mode", "default")
    assert started.argv[3:] == ("--session-id", started.cli_session_id)
    own = launch(LaunchRequest("qwen", "/proj", args=("--continue",)))
    assert own is not None
    assert own.cli_session_id is None


def test_what_a_call_shows_is_no_dialog_when_nothing_is_painted_below() -> None:
    whole = screen("shell-twice", OLD)
    call = next(at for at, row in enumerate(whole.lines) if "cat > x" in row)
    for painted in range(call, call + 13):
        rows = (*whole.captured[:painted], *[""] * (len(whole.captured) - painted))
        assert detect_prompt(replace(whole, captured=rows)) is None


def test_an_empty_box_is_no_dialog() -> None:
    assert detect_prompt(Screen(("╭──────╮", "╰──────╯"), 80, 24)) is None


def test_questions_that_a_low_pane_has_no_room_for_are_told_apart_by_their_answers() -> None:
    forms = []
    for name in ("ask-single", "ask-long-labels"):
        whole = screen(name)
        top = next(row for row, line in enumerate(whole.lines) if "❯ 1. " in line)
        low = replace(whole, captured=whole.captured[top:], rows=whole.rows - top, cursor=None)
        shown = detect_prompt(low)
        assert shown is not None
        assert [question.question for question in shown.questions] == [""]
        forms.append(shown)
    assert not same_prompt(*forms)
    assert same_prompt(forms[0], forms[0])


@pytest.mark.parametrize("name", ["ask-single", "ask-multi", "ask-tabs", "ask-tabs-two"])
def test_a_question_stays_the_same_while_a_row_after_the_other_leaves_the_pane(name: str) -> None:
    # A text field that opens takes more rows.
    whole, known = screen(name), form(name)
    head = next(row for row, line in enumerate(whole.lines) if line.lstrip().startswith("? "))
    first = next(row for row, line in enumerate(whole.lines) if " 1. " in line)
    for top in range(head, first):
        low = replace(whole, captured=whole.captured[top:], rows=whole.rows - top, cursor=None)
        shown = detect_prompt(low)
        assert shown is not None
        assert same_prompt(known, shown), low.text


def test_a_prompt_that_the_desk_scrolled_out_of_sight_still_waits() -> None:
    scrolled = state("shell-scrolled", size="80x15")
    assert (scrolled.state, scrolled.holds_back) == (SessionState.WAITING, True)
    assert not state("shell").holds_back


def test_a_scroll_bar_is_none_of_the_command_where_characters_show_nothing() -> None:
    shown = form("shell-unseen")
    assert shown.title == "Allow execution of: 'printf'?"
    assert shown.description.endswith("> esc1.")
    assert shown.truncated  # the CLI cut it


@BOTH
def test_the_headline_of_a_prompt_that_comes_into_sight_is_no_answered_call(version: str) -> None:
    whole = screen("shell", version=version)
    asked = detect_prompt(whole)
    assert asked
    assert asked.top is not None
    hidden = asked.top + 1
    rows = (*whole.captured[hidden:], *[""] * hidden)
    below = replace(whole, captured=rows, cursor=None)
    shown = detect_prompt(below)
    assert shown
    assert shown.truncated
    assert not answered_above(shown, below, asked, whole)
