"""What is read of a prompt, whatever happened to the pane."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from clawtap_gemini.keys.reveal import reveal
from clawtap_gemini.screen.prompt import detect_prompt, parse_prompt

from clawtap_core import Effect, Kind, Position, Press, PromptForm, Screen
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.screens import cells
from clawtap_core.testing import Recording

FOLDER = Path(__file__).with_name("recordings")
ALL = Recording.load_all(FOLDER)
ASKING = [each for each in ALL if each.truth.is_prompt]
BOXED = [each for each in ASKING if "dlg-resume" not in each.name and "reader" not in each.name]
# The nudge's box is open on the right, and so has no corner to tell a fold by.
# tmux folds nothing of an alternate screen.
CLOSED = [
    each for each in BOXED if "ide-nudge" not in each.name and "scrolled-shell" not in each.name
]


def labels(form: PromptForm) -> list[str]:
    asked = [option.label for question in form.questions for option in question.options]
    return [option.label for option in form.options] + asked


def words(form: PromptForm) -> tuple[object, ...]:
    return form.kind, form.title, form.description, labels(form), form.selected, form.tool_name


def prompt(screen: Screen) -> PromptForm:
    form = detect_prompt(screen)
    assert form is not None
    return form


def rows_from(screen: Screen, first: int) -> Screen:
    column, row = screen.cursor or (0, 0)
    return replace(screen, captured=screen.captured[first:], cursor=(column, max(0, row - first)))


def bottom(screen: Screen) -> int:
    borders = [row for row, line in enumerate(screen.lines) if line.strip().startswith("╰")]
    # A border right below another is the rest of a taller frame.
    return next(row for row in reversed(borders) if row - 1 not in borders)


@pytest.mark.parametrize("each", ASKING, ids=lambda each: each.name)
def test_without_styles_and_cursor_the_same_is_read(each: Recording) -> None:
    plain = replace(each.screen, captured=each.screen.lines, cursor=None, title=None)
    assert words(prompt(plain)) == words(prompt(each.screen))


@pytest.mark.parametrize("each", ASKING, ids=lambda each: each.name)
def test_the_pane_title_is_not_needed(each: Recording) -> None:
    for title in (None, "◇  Ready (proj)", "✦  Working… (proj)"):
        assert prompt(replace(each.screen, title=title)) == prompt(each.screen)


@pytest.mark.parametrize("each", BOXED, ids=lambda each: each.name)
def test_cut_above_it_is_the_same_prompt_as_long_as_its_list_is_whole(each: Recording) -> None:
    whole = prompt(each.screen)
    if "dlg-" in each.name or whole.top is None:
        pytest.skip("of a slash command's dialog the words are all there is")
    if whole.kind is Kind.PERMISSION and whole.more_options:
        pytest.skip("its list is not whole")
    if whole.top == 0 and whole.truncated:
        pytest.skip("its top has left the screen already")
    cut = detect_prompt(rows_from(each.screen, whole.top + 1))
    assert cut is not None
    assert (cut.kind, labels(cut), cut.selected) == (whole.kind, labels(whole), whole.selected)
    assert same_prompt(whole, cut)


@pytest.mark.parametrize("each", BOXED, ids=lambda each: each.name)
def test_without_its_bottom_border_there_is_no_prompt(each: Recording) -> None:
    captured = each.screen.captured[: bottom(each.screen)]
    assert detect_prompt(replace(each.screen, captured=captured)) is None


@pytest.mark.parametrize("each", CLOSED, ids=lambda each: each.name)
def test_folded_by_a_narrower_pane_it_still_reads(each: Recording) -> None:
    whole = prompt(each.screen)
    for cols in (100, 70, 45):
        if cols < each.screen.cols:
            folded = prompt(fold(each.screen, cols))
            assert (folded.kind, folded.title) == (whole.kind, whole.title)
            assert (labels(folded), folded.selected) == (labels(whole), whole.selected)


def fold(screen: Screen, cols: int) -> Screen:
    rows: list[str] = []
    for line in screen.lines:
        rows.append("")
        for char in line:
            if cells(rows[-1] + char) > cols:
                rows.append("")
            rows[-1] += char
    captured = tuple(row.rstrip() for row in rows)
    return replace(screen, captured=captured, cols=cols, cursor=None)


@pytest.mark.parametrize("each", BOXED, ids=lambda each: each.name)
def test_an_old_frame_above_does_not_matter(each: Recording) -> None:
    top = prompt(each.screen).top or 0
    if not each.screen.lines[top].strip().startswith("╭"):
        pytest.skip("its top is not on the screen, so that two frames would run together")
    old = each.screen.captured[top : bottom(each.screen) - 1]
    both = replace(each.screen, captured=(*old, *each.screen.captured[top:]), cursor=None)
    assert labels(prompt(both)) == labels(prompt(each.screen))
    assert prompt(both).top == len(old)


@pytest.mark.parametrize("each", ASKING, ids=lambda each: each.name)
def test_a_shell_below_means_that_the_cli_is_gone(each: Recording) -> None:
    ended = [*each.screen.captured[: len(each.screen.text.split("\n"))], "user@host:~$ "]
    if "dlg-resume" not in each.name:
        assert detect_prompt(replace(each.screen, captured=tuple(ended))) is None


PRINTED_BELOW = {
    "warning": (
        "⚠  Warning: True color (24-bit) support not detected. Using a terminal",
        "   with it",
    ),
    "rest": ("▀▀", " workspace (/directory)", "sandbox          /mode", "l"),
    "rule": ("─" * 30, "", "no sandbox                          gemini-2.5-pr", "o"),
    "notice": ("ℹ  Gemini CLI update available! 0.61.0 → 0.62.0",),
}


@pytest.mark.parametrize("each", BOXED, ids=lambda each: each.name)
def test_what_is_printed_below_a_dialog_does_not_hide_it(each: Recording) -> None:
    dialog, whole = each.screen.captured[: bottom(each.screen) + 1], words(prompt(each.screen))
    for name, below in PRINTED_BELOW.items():
        screen = replace(each.screen, captured=(*dialog, *below))
        assert words(prompt(screen)) == whole, name


def test_an_answer_or_a_new_frame_below_a_box_ends_it() -> None:
    screen = next(each.screen for each in BOXED if each.name == "0.61.0/shell-simple-120x40")
    for below in ("✦ Let me do something else.", "╭─────────────────╮"):
        captured = (*screen.captured[: bottom(screen) + 1], below)
        assert detect_prompt(replace(screen, captured=captured)) is None


SIZES = [
    ("0.61.0/shell-simple-120x40", "0.61.0/shell-simple-60x20"),
    ("0.61.0/shell-60lines-120x40", "0.61.0/shell-60lines-60x20"),
    ("0.61.0/shell-multiline-120x40", "0.61.0/shell-multiline-80x24"),
    ("0.61.0/shell-multiline-120x40", "0.61.0/shell-multiline-narrowed-70x40"),
    ("0.61.0/shell-multiline-120x40", "0.61.0/shell-multiline-widened-120x40"),
    ("0.61.0/edit-replace-120x40", "0.61.0/edit-replace-60x20"),
    ("0.61.0/plan-exit-120x40", "0.61.0/plan-exit-60x20"),
    ("0.61.0/ask-wrapped-60x30", "0.61.0/ask-wrapped-end-100x30"),
    ("0.61.0/ask-several-review-120x40", "0.61.0/ask-several-review-60x20"),
    ("0.61.0/loop-detected-120x40", "0.61.0/loop-detected-60x20"),
    ("0.34.0/shell-60lines-120x40", "0.34.0/shell-60lines-60x20"),
    ("0.34.0/mcp-tool-120x40", "0.34.0/mcp-tool-60x20"),
    ("0.34.0/plan-exit-120x40", "0.34.0/plan-exit-60x20"),
    ("0.34.0/edit-replace-120x40", "0.34.0/edit-replace-60x20"),
]


@pytest.mark.parametrize(("one", "other"), SIZES)
def test_a_resize_does_not_make_a_new_prompt(one: str, other: str, recording) -> None:
    assert same_prompt(prompt(recording(one).screen), prompt(recording(other).screen))


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
def test_other_prompts_are_not_the_same(version: str, recording) -> None:
    names = ("shell-simple", "shell-longline", "edit-replace", "write-new", "mcp-tool", "web-fetch")
    forms = [prompt(recording(f"{version}/{name}-120x40").screen) for name in names]
    for at, one in enumerate(forms):
        assert not any(same_prompt(one, other) for other in forms[at + 1 :])


def test_two_equal_calls_of_one_turn_are_distinguished_by_their_place(recording) -> None:
    second = prompt(recording("0.61.0/shell-parallel2-second-120x40").screen)
    first = prompt(recording("0.61.0/shell-parallel2-120x40").screen)
    assert (first.position, second.position) != (None, None)
    assert not same_prompt(first, second)


def test_a_place_that_the_cli_renumbers_is_no_new_prompt(recording) -> None:
    form = prompt(recording("0.61.0/shell-parallel2-second-120x40").screen)
    assert same_prompt(form, replace(form, position=None))
    assert same_prompt(
        replace(form, position=Position(2, 3)), replace(form, position=Position(1, 2))
    )


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
@pytest.mark.parametrize("name", ["shell-simple", "shell-longline", "shell-multiline"])
def test_a_command_is_whole_and_unwrapped(version: str, name: str, recording) -> None:
    found = recording(f"{version}/{name}-120x40")
    form = prompt(found.screen)
    assert form.tool_input == {"command": found.truth.command}
    # Whether a row ended there, or was broken at the edge, only a hook can tell.
    assert form.rewrapped is (name != "shell-simple")


@pytest.mark.parametrize("name", ["0.34.0/shell-simple-120x40", "0.61.0/shell-simple-120x40"])
def test_a_box_that_a_command_draws_hides_nothing_of_it(name: str, recording) -> None:
    screen = recording(name).screen
    lines = list(screen.lines)
    at = max(row for row, line in enumerate(lines) if "touch made.txt && ls -la  " in line)
    inner = "│ " if "0.61.0" in name else ""
    width = len(lines[at]) - 4 - 2 * len(inner)
    drawn = ("rm -rf /", "╭──────╮", "│ ls   │", "╰──────╯", "╭" + "─" * (width - 2) + "╮", "ls")
    lines[at : at + 1] = [f"│ {inner}{row:<{width}}{inner[::-1]} │" for row in drawn]
    form = prompt(Screen(tuple(lines), 120, len(lines)))
    assert "rm -rf /" in form.description
    assert form.tool_input is None or "rm -rf /" in form.tool_input["command"]


def test_a_command_that_the_cli_cut_is_not_passed_for_whole(recording) -> None:
    form = prompt(recording("0.61.0/shell-60lines-120x40").screen)
    assert form.truncated
    assert form.tool_input is None
    assert "echo line number 59 of the very long script" in form.description


def test_a_diff_keeps_its_lines(recording) -> None:
    form = prompt(recording("0.61.0/edit-replace-120x40").screen)
    assert "15 - line 15 of the file\n15 + line 15 CHANGED\n16 + line 15b added" in form.description
    assert form.description.startswith("src/app.txt")


def test_the_arguments_of_an_mcp_tool_are_read(recording) -> None:
    form = prompt(recording("0.61.0/mcp-tool-60x20").screen)
    assert (form.tool_name, form.tool_input) == ("mcp_labserver_greet", {"name": "World"})


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
def test_the_arguments_of_an_mcp_tool_whose_name_has_a_blank_are_read(version, recording) -> None:
    form = prompt(recording(f"{version}/mcp-blank-120x40").screen)
    assert (form.tool_name, form.tool_input) == ("mcp_myserver_say hello", {"name": "World"})


def test_what_a_model_says_of_a_cut_command_is_not_passed_for_the_command(recording) -> None:
    screen = recording("0.61.0/shell-60lines-120x40").screen
    like = 'ls (x MCP Server) {"command": "ls"}'
    lines = [
        line.replace(f"{'Lab command':<{len(like)}}", like) if "? Shell " in line else line
        for line in screen.lines
    ]
    form = prompt(Screen(tuple(lines), screen.cols, screen.rows))
    assert like in form.description
    assert (form.tool_name, form.tool_input) == ("run_shell_command", None)


@pytest.mark.parametrize("name", ["rewind-long-120x40", "rewind-low-60x15"])
def test_a_list_whose_first_entries_may_be_out_of_sight_is_not_passed_for_whole(
    name: str, recording
) -> None:
    assert detect_prompt(recording(f"0.61.0/dlg-{name}").screen) is None


def test_what_an_option_does_follows_from_its_words(recording) -> None:
    form = prompt(recording("0.61.0/edit-permanent-120x40").screen)
    effects = [option.effect for option in form.options]
    assert effects == [
        Effect.ALLOW_ONCE,
        Effect.ALLOW_ALWAYS,
        Effect.ALLOW_ALWAYS,
        Effect.OTHER,
        Effect.DENY,
    ]
    assert form.options[4].hint == "esc"
    assert form.options[2].label == "Allow for this file in all future sessions"


def test_warnings_are_part_of_the_description(recording) -> None:
    assert (
        "CRITICAL SECURITY WARNING"
        in prompt(recording("0.61.0/write-buildfile-120x40").screen).description
    )
    assert (
        "Redirection detected"
        in prompt(recording("0.61.0/shell-multiline-120x40").screen).description
    )


def test_a_plan_has_its_text_its_options_and_a_field(recording) -> None:
    form = prompt(recording("0.61.0/plan-exit-120x40").screen)
    assert form.kind is Kind.PLAN
    assert "1. Create login.html\n 2. Add the route" in form.description
    assert [option.effect for option in form.options] == [Effect.ALLOW_ALWAYS, Effect.ALLOW_ONCE]
    assert form.text_input is not None
    assert form.text_input.placeholder == "Type your feedback..."


def test_a_question_in_tabs_knows_its_tab(recording) -> None:
    form = prompt(recording("0.61.0/ask-several-q2-120x40").screen)
    assert form.position is not None
    assert (form.position.index, form.position.total) == (2, 4)
    assert form.questions[0].header == "Features"
    assert form.questions[0].multi_select
    assert form.more_options


def test_a_list_that_begins_above_a_low_pane_is_read_whole_once_its_text_is_unfolded(
    recording,
) -> None:
    cut = recording("0.34.0/write-long-low-60x15").screen
    whole = recording("0.34.0/write-long-low-unfolded-60x15").screen
    assert (labels(prompt(cut))[0], prompt(cut).more_options) == ("Allow for this session", True)
    first = reveal(prompt(cut), cut, (), None)
    assert first is not None
    assert first.steps == (Press("C-o"),)
    then = reveal(prompt(cut), whole, (), first.progress)
    assert then is not None
    assert then.form is not None
    assert (labels(then.form)[0], then.form.more_options) == ("Allow once", False)


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
def test_a_page_says_which_questions_have_no_answer(recording, version, page, unanswered) -> None:
    assert prompt(recording(f"{version}/{page}-120x40").screen).unanswered == unanswered


def test_wrapped_labels_and_descriptions_are_joined_and_distinguished(recording) -> None:
    wrapped = prompt(recording("0.61.0/ask-wrapped-60x30").screen)
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


def test_a_row_for_free_text_is_no_option_whatever_it_says(recording) -> None:
    for name in (
        "ask-wrapped-end-60x30",
        "ask-multi-typed-120x40",
        "ask-single-custom-typed-120x40",
    ):
        question = prompt(recording(f"0.61.0/{name}").screen).questions[0]
        offered = [option.label for option in question.options]
        assert question.other
        assert not {"Say it in your own words", "3 more", "half typed ans"} & set(offered)


def test_an_answer_of_before_leaves_no_mark_on_the_label(recording) -> None:
    form = prompt(recording("0.61.0/ask-several-q4-answered-120x40").screen)
    assert [option.label for option in form.questions[0].options] == ["Yes", "No"]


def test_the_start_up_dialogs_are_named(recording) -> None:
    trust = prompt(recording("0.61.0/folder-trust-120x40").screen)
    assert (trust.dialog, trust.dismiss) == ("folder-trust", None)
    assert "MCP servers, agent skills" in trust.description
    nudge = prompt(recording("0.34.0/ide-nudge-120x40").screen)
    assert (nudge.dialog, nudge.dismiss) == ("ide-nudge", "no")


def test_a_dialog_that_nobody_knows_is_a_question_walked_with_arrows(recording) -> None:
    shell = recording("0.61.0/shell-simple-120x40").screen
    fields = {
        "? Shell  touch": "Confirm Rewind",
        "Allow execution of [Shell]?": "Select an action:",
        "1. Allow once": "1. Rewind conversation",
        "2. Allow for this session": "2. Rewind all",
        "3. No, suggest changes (esc)": "3. Do nothing (esc)",
    }
    lines = list(shell.lines)
    for old, new in fields.items():
        at = max(row for row, line in enumerate(lines) if old in line)
        mark = "●" if "●" in lines[at] else " "
        inner = f"{mark} {new}" if new[0].isdigit() else new
        lines[at] = f"│ {inner:<116} │"
    found = parse_prompt(Screen(tuple(lines), 120, 40))
    assert found is not None
    assert (found.form.kind, found.form.title) == (Kind.QUESTION, "Confirm Rewind")
    assert not found.keys
    assert found.escape_denies


def test_a_heading_beside_the_title_is_not_part_of_it(recording) -> None:
    assert prompt(recording("0.61.0/dlg-theme-120x40").screen).title == "Select Theme"


def test_of_two_lists_with_a_cursor_each_none_is_read(recording) -> None:
    assert detect_prompt(recording("0.61.0/dlg-editor-120x40").screen) is None


def test_the_list_that_an_entry_opens_by_the_same_title_is_another_prompt(recording) -> None:
    first, second = (
        prompt(recording(f"0.61.0/{name}-120x40").screen) for name in ("dlg-model", "dlg-models")
    )
    assert first.title == second.title
    assert not same_prompt(first, second)


def test_a_key_to_be_entered_is_secret(recording) -> None:
    question = prompt(recording("0.61.0/auth-apikey-120x40").screen).questions[0]
    assert question.secret
    assert question.placeholder == "Paste your API key here"


def test_a_numbered_list_in_the_field_does_not_hide_the_prompt(recording) -> None:
    screen = recording("0.61.0/plan-exit-120x40").screen
    lines = [line.replace("● 1.", "  1.") for line in screen.lines]
    lines = [line.replace("Enter to select · ↑/↓ to navigate", "Enter to submit") for line in lines]
    at = next(row for row, line in enumerate(lines) if "Type your feedback" in line)
    width = len(lines[at]) - 4
    lines[at : at + 1] = [
        f"│ {'● 3.  1. Add a logout':<{width}} │",
        f"│ {'      2. And tests':<{width}} │",
    ]
    form = prompt(replace(screen, captured=tuple(lines), cursor=None))
    assert len(form.options) == 2
    assert same_prompt(form, prompt(screen))


def test_the_quoted_prompt_of_the_model_raises_none(recording) -> None:
    shell = recording("0.61.0/shell-simple-120x40").screen
    idle = recording("0.61.0/idle-120x40").screen
    quoted = (*shell.captured[17:28], *idle.captured[12:])
    assert detect_prompt(replace(idle, captured=quoted, cursor=None)) is None


def test_every_truth_is_json_with_the_size_of_its_screen() -> None:
    for path in FOLDER.rglob("*.json"):
        reply = json.loads(path.read_text(encoding="utf-8"))
        assert path.stem.endswith(f"-{reply['cols']}x{reply['rows']}")


def test_two_commands_in_a_pane_too_low_for_their_text_are_two_prompts() -> None:
    """The box for the command has no rows there: only the line of the tool names it."""

    def asked(command: str) -> PromptForm:
        rows = (
            f"│ ? Shell  {command}".ljust(59) + "│",
            "│ ╭" + "─" * 54 + "╮ │",
            "│ ╰" + "─" * 54 + "╯ │",
            "│ Allow execution of [Shell]?".ljust(59) + "│",
            "│".ljust(59) + "│",
            "│ ● 1. Allow once".ljust(59) + "│",
            "│   2. Allow for this session".ljust(59) + "│",
            "│   3. No, suggest changes (esc)".ljust(59) + "│",
            "╰" + "─" * 58 + "╯",
        )
        return prompt(Screen(rows, 60, 15))

    first, second = asked("touch first.txt"), asked("rm -r second")
    assert "rm -r second" in second.description
    assert same_prompt(first, asked("touch first.txt"))
    assert not same_prompt(first, second)


def test_a_command_that_is_clipped_without_a_note_is_cut(recording) -> None:
    """The first frame of a long command, before the CLI knows how many lines it hides."""
    clipped = prompt(recording("0.34.0/shell-clipped-120x40").screen)
    assert clipped.truncated
    assert clipped.provisional
    assert clipped.tool_input is None
    assert clipped.description.endswith("row 12 of the command\n…")


def test_a_body_that_hides_lines_may_be_painted_again(recording) -> None:
    """The first frames of a long command show other rows of it than the last one."""
    whole = recording("0.61.0/shell-60lines-120x40").screen
    head, body = list(whole.lines[1:5]), list(whole.lines[5:])
    head[-1] = head[-1].replace("first 34 lines", "first 43 lines")
    first = replace(whole, captured=("",) * 10 + (*head, *body[9:]))
    for screen in (first, whole):
        assert prompt(screen).truncated
        assert prompt(screen).provisional


def test_a_command_whose_every_name_stands_there_is_whole(recording) -> None:
    whole = prompt(recording("0.34.0/shell-multiline-120x40").screen)
    assert not whole.truncated
    assert whole.tool_input


def test_options_without_their_question_wait_for_it(recording) -> None:
    """The first frame of a prompt in a low pane has a row less than the next."""
    whole = recording("0.34.0/shell-simple-120x40").screen
    first = next(row for row, line in enumerate(whole.lines) if "1. Allow once" in line)
    assert prompt(rows_from(whole, first - 1)).provisional
    assert not prompt(rows_from(whole, first - 2)).provisional
    assert not prompt(whole).provisional


def test_a_stored_session_that_is_painted_in_part_is_not_offered() -> None:
    (browser,) = (each.screen for each in ASKING if each.name == "0.34.0/dlg-resume-120x40")
    at = next(at for at, row in enumerate(browser.lines) if row.startswith(" ❯ #1"))
    rows = list(browser.captured)
    rows[at:] = [browser.lines[at][:19], *[""] * (len(rows) - at - 1)]
    assert detect_prompt(replace(browser, captured=tuple(rows))) is None


def test_a_plan_whose_beginning_is_scrolled_below_its_headline_is_not_passed_for_whole(
    recording,
) -> None:
    form = prompt(recording("0.61.0/altbuffer-plan-120x40").screen)
    assert (form.kind, form.truncated) == (Kind.PLAN, True)
    assert form.description.startswith("…\n 34. Step number 34 of this plan")
