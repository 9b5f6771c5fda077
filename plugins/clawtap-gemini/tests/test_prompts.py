"""What is read of a prompt, whatever happened to the pane."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from clawtap_gemini.screen.prompt import detect_prompt

from clawtap_core import Kind, Position, PromptForm, Screen
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


def test_the_quoted_prompt_of_the_model_raises_none(recording) -> None:
    shell = recording("0.61.0/shell-simple-120x40").screen
    idle = recording("0.61.0/idle-120x40").screen
    quoted = (*shell.captured[17:28], *idle.captured[12:])
    assert detect_prompt(replace(idle, captured=quoted, cursor=None)) is None


def test_every_truth_is_json_with_the_size_of_its_screen() -> None:
    for path in FOLDER.rglob("*.json"):
        reply = json.loads(path.read_text(encoding="utf-8"))
        assert path.stem.endswith(f"-{reply['cols']}x{reply['rows']}")


def test_options_without_their_question_wait_for_it(recording) -> None:
    """The first frame of a prompt in a low pane has a row less than the next."""
    whole = recording("0.34.0/shell-simple-120x40").screen
    first = next(row for row, line in enumerate(whole.lines) if "1. Allow once" in line)
    assert prompt(rows_from(whole, first - 1)).provisional
    assert not prompt(rows_from(whole, first - 2)).provisional
    assert not prompt(whole).provisional


@pytest.mark.parametrize("size", ["60x15", "100x24"])
def test_a_long_edit_is_the_same_in_a_pane_of_another_size(recording, size) -> None:
    whole = prompt(recording("0.61.0/altbuffer-write-long-120x40").screen)
    other = prompt(recording(f"0.61.0/altbuffer-write-long-{size}").screen)
    assert same_prompt(whole, other)
    assert same_prompt(other, whole)
    assert other.description.endswith("\n150 line 149")
