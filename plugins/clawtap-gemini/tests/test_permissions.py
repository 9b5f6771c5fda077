"""What is read of a permission: its command, its input, its options."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clawtap_gemini.keys.reveal import reveal

from clawtap_core import Effect, Press, PromptForm, Screen
from clawtap_core.prompts.identity import same_prompt


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
@pytest.mark.parametrize("name", ["shell-simple", "shell-longline", "shell-multiline"])
def test_a_command_is_whole_and_unwrapped(version: str, name: str, form_of, recording) -> None:
    found = recording(f"{version}/{name}-120x40")
    form = form_of(found.screen)
    assert form.tool_input == {"command": found.truth.command}
    # What an escape sequence hides, and whether a row was broken at the edge, only a hook tells.
    assert form.rewrapped


@pytest.mark.parametrize("name", ["0.34.0/shell-simple-120x40", "0.61.0/shell-simple-120x40"])
def test_a_box_that_a_command_draws_hides_nothing_of_it(name: str, form_of, recording) -> None:
    screen = recording(name).screen
    lines = list(screen.lines)
    at = max(row for row, line in enumerate(lines) if "touch made.txt && ls -la  " in line)
    inner = "│ " if "0.61.0" in name else ""
    width = len(lines[at]) - 4 - 2 * len(inner)
    drawn = ("rm -rf /", "╭──────╮", "│ ls   │", "╰──────╯", "╭" + "─" * (width - 2) + "╮", "ls")
    lines[at : at + 1] = [f"│ {inner}{row:<{width}}{inner[::-1]} │" for row in drawn]
    form = form_of(Screen(tuple(lines), 120, len(lines)))
    assert "rm -rf /" in form.description
    assert form.tool_input is None or "rm -rf /" in form.tool_input["command"]


@pytest.mark.parametrize("name", ["-120x40", "-80x24", "-lines-120x40"])
def test_what_a_hook_says_stands_beside_the_command(name: str, form_of, recording) -> None:
    found = recording(f"0.61.0/shell-hook-speaks{name}")
    form = form_of(found.screen)
    assert form.tool_input == {"command": found.truth.command}
    assert form.description == f"Please think twice.\n{found.truth.command}"


def test_a_command_that_the_cli_cut_is_not_passed_for_whole(form_of) -> None:
    form = form_of("0.61.0/shell-60lines-120x40")
    assert form.truncated
    assert form.tool_input is None
    assert "echo line number 59 of the very long script" in form.description


@pytest.mark.parametrize("name", ["shell", "edit"])
def test_an_empty_box_in_a_low_pane_is_not_passed_for_all_of_it(name: str, form_of) -> None:
    form = form_of(f"0.61.0/{name}-no-room-80x12")
    assert form.truncated
    assert form.tool_input is None


def test_a_diff_keeps_its_lines(form_of) -> None:
    form = form_of("0.61.0/edit-replace-120x40")
    assert "15 - line 15 of the file\n15 + line 15 CHANGED\n16 + line 15b added" in form.description
    assert form.description.startswith("src/app.txt")


def test_the_arguments_of_an_mcp_tool_are_read(form_of) -> None:
    form = form_of("0.61.0/mcp-tool-60x20")
    assert (form.tool_name, form.tool_input) == ("mcp_labserver_greet", {"name": "World"})


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
def test_the_arguments_of_an_mcp_tool_whose_name_has_a_blank_are_read(version, form_of) -> None:
    form = form_of(f"{version}/mcp-blank-120x40")
    assert (form.tool_name, form.tool_input) == ("mcp_myserver_say hello", {"name": "World"})


def test_what_a_model_says_of_a_cut_command_is_not_passed_for_the_command(
    form_of, recording
) -> None:
    screen = recording("0.61.0/shell-60lines-120x40").screen
    like = 'ls (x MCP Server) {"command": "ls"}'
    lines = [
        line.replace(f"{'Lab command':<{len(like)}}", like) if "? Shell " in line else line
        for line in screen.lines
    ]
    form = form_of(Screen(tuple(lines), screen.cols, screen.rows))
    assert like in form.description
    assert (form.tool_name, form.tool_input) == ("run_shell_command", None)


def test_what_an_option_does_follows_from_its_words(form_of) -> None:
    form = form_of("0.61.0/edit-permanent-120x40")
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


def test_warnings_are_part_of_the_description(form_of) -> None:
    assert "CRITICAL SECURITY WARNING" in form_of("0.61.0/write-buildfile-120x40").description
    assert "Redirection detected" in form_of("0.61.0/shell-multiline-120x40").description


def test_a_list_that_begins_above_a_low_pane_is_read_whole_once_its_text_is_unfolded(
    form_of, recording
) -> None:
    cut = recording("0.34.0/write-long-low-60x15").screen
    whole = recording("0.34.0/write-long-low-unfolded-60x15").screen
    assert (form_of(cut).options[0].label, form_of(cut).more_options) == (
        "Allow for this session",
        True,
    )
    first = reveal(form_of(cut), cut, (), None)
    assert first is not None
    assert first.steps == (Press("C-o"),)
    then = reveal(form_of(cut), whole, (), first.progress)
    assert then is not None
    assert then.form is not None
    assert (then.form.options[0].label, then.form.more_options) == ("Allow once", False)


def test_two_commands_in_a_pane_too_low_for_their_text_are_two_prompts(form_of) -> None:
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
        return form_of(Screen(rows, 60, 15))

    first, second = asked("touch first.txt"), asked("rm -r second")
    assert "rm -r second" in second.description
    assert same_prompt(first, asked("touch first.txt"))
    assert not same_prompt(first, second)


def test_a_command_that_is_clipped_without_a_note_is_cut(form_of) -> None:
    """The first frame of a long command, before the CLI knows how many lines it hides."""
    clipped = form_of("0.34.0/shell-clipped-120x40")
    assert clipped.truncated
    assert clipped.provisional
    assert clipped.tool_input is None
    assert clipped.description.endswith("row 12 of the command\n…")


def test_a_body_that_hides_lines_may_be_painted_again(form_of, recording) -> None:
    """The first frames of a long command show other rows of it than the last one."""
    whole = recording("0.61.0/shell-60lines-120x40").screen
    head, body = list(whole.lines[1:5]), list(whole.lines[5:])
    head[-1] = head[-1].replace("first 34 lines", "first 43 lines")
    first = replace(whole, captured=("",) * 10 + (*head, *body[9:]))
    for screen in (first, whole):
        assert form_of(screen).truncated
        assert form_of(screen).provisional


def test_a_command_whose_every_name_stands_there_is_whole(form_of) -> None:
    whole = form_of("0.34.0/shell-multiline-120x40")
    assert not whole.truncated
    assert whole.tool_input
