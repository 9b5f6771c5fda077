"""What is read on screens of the real CLI, beyond their truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import clawtap_opencode
import pytest
from clawtap_opencode.keys.compose import compose
from clawtap_opencode.keys.control import control
from clawtap_opencode.launch import launch
from clawtap_opencode.merge import merge_prompt
from clawtap_opencode.screen.composer import find_composer
from clawtap_opencode.screen.prompt import detect_prompt, parse_prompt
from clawtap_opencode.screen.state import detect_state
from recorded_cli import RecordedCli

from clawtap_core import (
    Interrupt,
    Kind,
    LaunchRequest,
    Paste,
    Press,
    Previous,
    PromptForm,
    Screen,
    SeenState,
    SessionState,
    SwitchMode,
    SwitchModel,
    Type,
)
from clawtap_core.prompts.screen_tracker import PromptSighting

NEW, OLD = "1.18.33", "1.17.19"
RECORDED = RecordedCli(clawtap_opencode, Path(__file__).with_name("recordings"), NEW)
screen, state = RECORDED.screen, RECORDED.state
BOTH = pytest.mark.parametrize("version", [NEW, OLD])


@pytest.mark.parametrize("size", ["160x45", "120x40", "80x24", "60x20"])
def test_a_prompt_reads_alike_at_every_size_and_beside_the_side_bar(size: str) -> None:
    form = detect_prompt(screen("bash", size=size))
    assert form is not None
    assert (form.title, form.tool_name) == ("Shell command", "bash")
    assert form.tool_input == {"command": "touch made.txt && ls"}
    assert [option.label for option in form.options] == ["Allow once", "Allow always", "Reject"]
    assert form.selected == "allow-once"


def test_a_command_that_may_be_cut_has_no_input_that_a_rule_could_take_for_the_whole() -> None:
    form = detect_prompt(screen("bash-long"))
    assert form is not None
    assert form.truncated
    assert form.tool_input is None
    assert form.description.startswith("for f in one two")


def test_a_permission_whose_last_row_left_a_low_pane_is_read() -> None:
    form = detect_prompt(screen("write", size="60x15"))
    assert form is not None
    assert (form.tool_name, form.truncated) == ("edit", False)
    assert [option.label for option in form.options] == ["Allow once", "Allow always", "Reject"]
    form = detect_prompt(screen("bash-long", size="60x15"))
    assert form is not None
    assert (form.tool_name, form.truncated, form.tool_input) == ("bash", True, None)


def test_the_frame_before_the_body_names_no_command() -> None:
    lines = list(screen("bash").captured)
    blank = lines[-1 - next(at for at, row in enumerate(lines[::-1]) if "┃" in row)]
    at = next(at for at, row in enumerate(screen("bash").lines) if "$ touch" in row and "┃" in row)
    lines[at] = blank
    form = detect_prompt(Screen(tuple(lines), 120, 40))
    assert form is None or (not form.description and form.tool_input is None)


def test_a_call_that_the_model_adds_while_one_asks_is_not_the_first_one_answered() -> None:
    screens = [screen(name, OLD) for name in ("bash-first-of-two", "bash-second-comes")]
    before, after = map(detect_prompt, screens)
    assert before is not None
    assert after is not None
    assert not PromptSighting(before, screens[0]).answered(after, screens[1])
    named = PromptSighting(replace(before, answer_traces=None), screens[0])
    assert named.answered(after, screens[1])


def test_tools_are_told_apart_by_their_headline() -> None:
    names = ("bash", "edit", "webfetch", "external")
    forms = [detect_prompt(screen(name)) for name in names]
    assert [form.tool_name for form in forms if form] == [
        "bash",
        "edit",
        "webfetch",
        "external_directory",
    ]


def in_transcript(tool: str, **arguments: object) -> PromptForm:
    return PromptForm(Kind.UNKNOWN, "", tool_name=tool, tool_input=arguments, tool_call_id="c1")


@BOTH
@pytest.mark.parametrize("size", ["120x40", "60x20"])
def test_the_database_completes_a_cut_command_and_no_other(version: str, size: str) -> None:
    words = "one two three four five six seven eight nine ten eleven twelve"
    lines = "\n".join(f"print({at})" for at in range(60))
    loop = f"for f in {words}; do echo processing $f and more words here to be long; done"
    command = f'{loop} && touch made.txt && python3 -c "{lines}"'
    seen = detect_prompt(screen("bash-long", version, size=size))
    assert seen is not None
    merged = merge_prompt(seen, in_transcript("bash", command=command))
    assert merged is not None
    assert (merged.description, merged.truncated, merged.expandable) == (command, False, False)
    assert merged.tool_input == {"command": command}
    assert merge_prompt(seen, in_transcript("bash", command=lines)) is None


@pytest.mark.parametrize("size", ["160x45", "120x40", "60x20"])
def test_the_database_completes_a_cut_change_and_no_other(size: str) -> None:
    shown = detect_prompt(screen("edit", size=size))
    assert shown is not None
    seen = replace(shown, truncated=True, expandable=True)
    call = {"filePath": "/home/me/edited.txt", "oldString": "two", "newString": "TWO"}
    merged = merge_prompt(seen, in_transcript("edit", **call))
    assert merged is not None
    assert (merged.tool_input, merged.truncated, merged.expandable) == (call, False, False)
    assert merged.description == "/home/me/edited.txt\n-two\n+TWO"
    others = [{"filePath": f"/home/me/{name}.txt"} for name in ("other", "not-edited")]
    for other in (*others, {"oldString": "x", "newString": "z"}):
        assert merge_prompt(seen, in_transcript("edit", **{**call, **other})) is None


def test_a_new_file_is_asked_about_as_an_edit() -> None:
    seen = detect_prompt(screen("write"))
    assert seen is not None
    call = {"filePath": "/home/me/fresh.txt", "content": "hello\nyou\n"}
    merged = merge_prompt(seen, in_transcript("write", **call))
    assert merged is not None
    assert (merged.tool_name, merged.tool_input) == ("edit", call)


@BOTH
@pytest.mark.parametrize("name", ["tabs-1", "tabs-2", "tabs-review"])
def test_the_transcript_makes_tabs_one_prompt(name: str, version: str) -> None:
    seen = detect_prompt(screen(name, version))
    assert seen is not None
    asked = [
        {"question": "Which parts?", "header": "Parts", "options": [], "multiple": True},
        {"question": "Deploy now?", "header": "Deploy", "options": [{"label": "Yes"}]},
    ]
    call = PromptForm(Kind.UNKNOWN, "", tool_name="question", tool_input={"questions": asked})
    whole = merge_prompt(seen, call)
    assert whole is not None
    assert [question.header for question in whole.questions] == ["Parts", "Deploy"]
    assert [question.multi_select for question in whole.questions] == [True, False]
    other = replace(call, tool_input={"questions": [{"question": "Which way?"}]})
    assert name == "tabs-review" or merge_prompt(seen, other) is None


@BOTH
def test_a_page_says_which_other_questions_have_no_answer(version: str) -> None:
    pages = ("tabs-1", "tabs-2", "tabs-review-missing", "tabs-review")
    forms = [detect_prompt(screen(page, version)) for page in pages]
    assert [form and form.unanswered for form in forms] == [(2, 3), (3,), (3,), ()]


def test_the_own_answer_is_read_from_below_its_row() -> None:
    fields = []
    for name in ("single", "single-other-open", "single-other-typed", "multi-other-entered"):
        parsed = parse_prompt(screen(name))
        assert parsed is not None
        assert parsed.field is not None
        fields.append((parsed.field.focused, parsed.field.text))
    assert fields == [(False, ""), (True, ""), (True, "MariaDB"), (False, "docs")]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_the_draft_the_mode_and_the_model_are_read(version: str) -> None:
    idle, plan = state("idle", version), state("idle-plan", version)
    assert (idle.draft, idle.mode, idle.model) == ("", "build", "Fake-1 Lab")
    assert plan.mode == "plan"
    assert state("start", version).draft == ""
    assert state("start-draft", version).draft == "a first draft"
    assert state("draft-pasted", version).draft == "[Pasted ~5 lines]"


def test_a_draft_of_several_rows_keeps_its_lines() -> None:
    assert state("draft-lines").draft == "first line\nsecond line"


def test_a_draft_for_the_shell_is_no_empty_composer() -> None:
    assert state("shell-mode").draft == "!"


@pytest.mark.parametrize("name", ["palette", "models", "sessions"])
def test_a_list_over_the_conversation_is_no_composer(name: str) -> None:
    assert detect_state(screen(name), None) is None


def test_code_of_an_answer_keeps_its_indentation() -> None:
    rows = state("busy-code", OLD).streaming.split("\n")
    assert rows[0] == "- From the elm to the larch and code 37"
    assert rows[-2:] == ["def f11():", "    return 'From the birch to the birch'"]


@BOTH
def test_neither_a_call_nor_a_turn_that_is_over_is_an_answer(version: str) -> None:
    busy = screen("busy", version)
    for last in (
        "▣  Build · Fake-1 · 5.8s",
        "→ Read /etc/hostname",
        "⠏ General Task — look around",
    ):
        rows = [f"     {last}" if "▣" in row else row for row in busy.captured]
        seen = detect_state(replace(busy, captured=tuple(rows)), None)
        assert seen is not None
        assert seen.streaming == ""


def test_a_screen_that_was_cleared_says_nothing_new() -> None:
    idle = SeenState(SessionState.IDLE, draft="", mode="build")
    blank = replace(screen("idle"), captured=("",) * 40)
    assert detect_state(blank, Previous(idle, 0.1)) == idle
    starting = detect_state(blank, None)
    assert starting is not None
    assert starting.state is SessionState.STARTING


def test_the_answer_that_streams_is_read_above_its_turn() -> None:
    assert state("busy").streaming.startswith("Once upon a time")
    assert state("busy", size="160x45").streaming.startswith("Once upon a time")
    assert state("idle").streaming == ""


@pytest.mark.parametrize(
    ("version", "begun", "further"),
    [
        (NEW, ("cedar to the maple", "fir to the ce"), ("elm to the maple", "haz")),
        (OLD, ("cedar to the cedar", "elm to the juni"), ("elm to the maple", "haz")),
    ],
)
def test_of_an_answer_longer_than_the_pane_the_visible_rows_are_read(
    version: str, begun: tuple[str, str], further: tuple[str, str]
) -> None:
    assert RECORDED.ends_of_long_answer(version) == [begun, further]


@pytest.mark.parametrize(("version", "size"), [(NEW, "120x40"), (OLD, "60x20")])
def test_escape_is_pressed_twice_to_interrupt(version: str, size: str) -> None:
    first = control(Interrupt(), screen("busy", version, size), None)
    assert first is not None
    assert first.steps[0] == Press("Escape")
    second = control(Interrupt(), screen("busy-escape", version, size), first.progress)
    assert second is not None
    assert second.steps == (Press("Escape", deciding=True),)
    assert control(Interrupt(), screen("idle", version, size), None) is None


@pytest.mark.parametrize(("version", "size"), [(NEW, "120x40"), (NEW, "60x20"), (OLD, "120x40")])
def test_a_list_at_the_composer_is_seen(version: str, size: str) -> None:
    for name in ("slash-menu", "file-menu"):
        composer = find_composer(screen(name, version, size))
        assert composer
        assert composer.menu
    for name in ("busy-draft", "draft", "idle", "idle-answers", "shell-mode"):
        composer = find_composer(screen(name, version, size))
        assert composer
        assert not composer.menu


def test_tab_switches_the_mode_from_an_empty_composer_only() -> None:
    steps = control(SwitchMode("plan"), screen("idle"), None)
    assert steps is not None
    assert steps.steps == (Press("Tab"),)
    assert control(SwitchMode("plan"), screen("draft"), None) is None
    assert control(SwitchMode("plan"), screen("bash"), None) is None
    assert control(SwitchModel("fake/fake-2"), screen("idle"), None) is None


def test_a_folded_paste_is_sent_and_another_text_is_not() -> None:
    text = "\n".join(f"line {number} of it" for number in range(5))
    placed = compose(text, screen("idle"), None)
    assert placed is not None
    assert placed.steps[0] == Paste(text)
    sent = compose(text, screen("draft-pasted"), placed.progress)
    assert sent is not None
    assert sent.steps == (Press("Enter", deciding=True),)
    waits = compose(f"{text}\nmore", screen("draft-pasted"), placed.progress)
    assert waits is not None
    assert not any(isinstance(step, Press) for step in waits.steps)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("/etc/hosts is a file", "/etc/hosts is a file"),
        ("/themes", "/themes"),
        ("/clear", "/clear"),
        ("/mine", "/mine "),
        ("/init", "/init "),
    ],
)
def test_only_what_is_chosen_in_the_list_leaves_it_open(text: str, typed: str) -> None:
    steps = compose(text, screen("idle"), None)
    assert steps is not None
    assert steps.steps[0] == Type(typed)


def test_an_exclamation_mark_is_pasted_because_as_a_key_it_opens_a_shell() -> None:
    steps = compose("!important", screen("idle"), None)
    assert steps is not None
    assert steps.steps[0] == Paste("!important")


@pytest.mark.parametrize("message", ["/themes", "look at @notes.txt", "one\nsee @notes", "exit"])
def test_a_first_message_that_would_not_be_sent_is_typed(message: str) -> None:
    started = launch(LaunchRequest("opencode", "/proj", message=message))
    assert started is not None
    assert (started.argv, started.includes_message) == (("opencode",), False)


def test_the_command_line_names_mode_model_conversation_and_message() -> None:
    request = LaunchRequest(
        "opencode",
        "/proj",
        message="-- go on",
        model="fake/fake-1",
        permission_mode="plan",
        resume="ses_1",
        args=("--pure",),
    )
    started = launch(request)
    assert started is not None
    flags = ("--agent", "plan", "--model", "fake/fake-1", "--session", "ses_1", "--pure")
    assert started.argv == ("opencode", *flags, "--prompt=-- go on")
    assert (started.cli_session_id, started.includes_message) == ("ses_1", True)
    assert launch(LaunchRequest("opencode", "/proj", model="no provider")) is None
    assert launch(LaunchRequest("opencode", "/proj", permission_mode="yolo")) is None


@pytest.mark.parametrize("name", ["bash-covered", "bash-under-help", "bash-under-side-bar"])
def test_what_is_opened_over_a_permission_holds_it_back(name: str) -> None:
    seen = state(name)
    assert parse_prompt(screen(name)) is None
    assert seen is not None
    assert (seen.state, seen.holds_back) == (SessionState.WAITING, True)


def test_a_command_that_draws_a_bar_is_asked_for_as_any_other() -> None:
    bash = screen("bash")
    lines = [
        line.replace("touch made.txt && ls", "┃".ljust(20))
        if "touch made.txt" in line and "┃" in line
        else line
        for line in bash.captured
    ]
    form = detect_prompt(replace(bash, captured=tuple(lines)))
    assert form is not None
    assert form.title == "Shell command"
    assert form.description == "┃"


@BOTH
@pytest.mark.parametrize("missing", [["$ touch made.txt && ls"], ["$ touch made.txt && ls", "#"]])
def test_a_permission_whose_command_is_not_painted_yet_is_none(
    version: str, missing: list[str]
) -> None:
    """On a busy machine, 1.17.19 was announced so, and could be allowed."""
    bash = screen("bash", version)
    rows = list(bash.captured)
    for words in missing:
        (at,) = (at for at, line in enumerate(bash.lines) if f" {words}" in line and "┃" in line)
        rows[at] = "".join(rows[at].partition("┃")[:2])
    assert detect_prompt(bash) is not None
    assert detect_prompt(replace(bash, captured=tuple(rows))) is None
