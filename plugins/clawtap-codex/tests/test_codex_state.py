"""Idle or busy, where the screen alone does not tell; drafts, modes, models."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import clawtap_codex
import pytest

from clawtap_core import Previous, Screen, SeenState, SessionState
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")
BUSY, IDLE = SeenState(SessionState.BUSY), SeenState(SessionState.IDLE)


def screen(name: str) -> Screen:
    return Recording.load(RECORDINGS / f"{name}.ansi").screen


def state(shown: Screen, previous: Previous | None = None) -> SeenState:
    seen = clawtap_codex.detect_state(shown, previous)
    assert seen
    return seen


@pytest.mark.parametrize("size", ["120x40", "60x20"])
def test_only_time_shows_that_an_old_answer_is_complete(size: str) -> None:
    growing = screen(f"0.116.0/busy_streaming-{size}")
    assert state(growing, Previous(BUSY, 0.2)).state is SessionState.BUSY
    assert state(growing, Previous(BUSY, 0.2)).streaming.startswith("line one of the answer")
    assert state(growing, Previous(BUSY, 3.0)).state is SessionState.IDLE
    assert state(growing, Previous(IDLE, 0.0)).state is SessionState.IDLE


def test_a_conversation_that_is_open_in_another_app_does_not_start() -> None:
    shown, starting = screen("0.171.0/open_elsewhere-120x40"), SeenState(SessionState.STARTING)
    assert clawtap_codex.detect_state(shown, Previous(starting, 0.5)) is None


def test_an_answer_longer_than_the_screen_still_grows() -> None:
    growing = screen("0.116.0/busy_streaming-60x20")
    rows = growing.captured
    for above in ([], [""]):  # a row between two paragraphs is the first, too
        more = [*above, *["  more of the answer"] * (15 - len(above))]
        longer = replace(growing, captured=(*more, *rows[15:]))
        assert state(longer, Previous(BUSY, 0.2)).state is SessionState.BUSY


def test_the_visible_rows_of_a_long_answer_are_read_below_the_users_message() -> None:
    before = Previous(SeenState(SessionState.BUSY, streaming="Step 1 of the long way home"), 0.1)
    for name, first, last in (("begun", 3, 18), ("further", 27, 42)):
        growing = screen(f"0.169.0/busy_long_text_{name}-120x40")
        rows = state(growing, before).streaming.split("\n\n")
        steps = [f"Step {number} of the long way home" for number in range(first, last + 1)]
        assert [row.strip() for row in rows[:-1]] == steps[:-1]
        assert rows[-1].strip().startswith(steps[-1])
        assert state(growing, Previous(BUSY, 0.1)).streaming == ""


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("⠸ Demo session | demo", SessionState.BUSY),
        ("[ ! ] Action Required | Demo session | demo", SessionState.BUSY),
        ("Demo session | demo", SessionState.IDLE),
    ],
)
def test_the_title_shows_the_state(title: str, expected: SessionState) -> None:
    shown = replace(screen("0.169.0/idle_after_turn-120x40"), title=title)
    assert state(shown).state is expected


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_a_used_up_limit_is_told_while_it_stands_last(version: str) -> None:
    shown = screen(f"{version}/usage_limit-120x40")
    limit = state(shown).limit
    assert limit.replace("’", "'").startswith("You've hit your usage limit. Upgrade to Pro")
    assert re.search(r"or try again at 6:3[45] AM\.$", limit)
    rows = [row.replace("■ ", "• ") for row in shown.captured]
    assert state(replace(shown, captured=tuple(rows))).limit == ""


def test_the_subject_of_the_work_is_a_thought() -> None:
    assert state(screen("0.116.0/busy_thinking-60x20")).thinking == "Inspecting the files"


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_a_draft_of_several_lines_is_read_whole(version: str) -> None:
    shown = screen(f"{version}/idle_draft_lines-100x30")
    assert state(shown).draft == "half a draft\nsecond line\n\nfourth"
    assert state(screen(f"{version}/popup_slash-100x30")).draft == "/permissions"


@pytest.mark.parametrize(("version", "model"), [("0.116.0", "gpt-5.4"), ("0.169.0", "gpt-5.5")])
def test_the_model_is_read_from_the_status_line(version: str, model: str) -> None:
    assert state(screen(f"{version}/idle-120x40")).model == model


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_the_mode_is_the_one_shown(version: str) -> None:
    assert state(screen(f"{version}/idle_plan_mode-100x30")).mode == "plan"
    chosen = {"0.116.0": "ask", "0.169.0": "approve-for-me"}[version]
    assert state(screen(f"{version}/idle_permissions-100x30")).mode == chosen


def test_a_plan_mode_that_was_left_is_the_default_one() -> None:
    planned = Previous(SeenState(SessionState.IDLE, mode="plan"), 1.0)
    assert state(screen("0.169.0/idle-120x40"), planned).mode == "default"


def test_a_prompt_does_not_end_the_mode() -> None:
    planned = Previous(SeenState(SessionState.BUSY, mode="plan"), 1.0)
    assert state(screen("0.169.0/plan_implement-60x20"), planned).mode == "plan"


def test_an_empty_screen_is_a_start() -> None:
    assert state(Screen(("",))).state is SessionState.STARTING


def test_a_shell_is_no_state_of_the_cli() -> None:
    assert clawtap_codex.detect_state(Screen.from_text("$ ls\napp.py\n$ "), None) is None


@pytest.mark.parametrize("left", ["ti", "e "])
def test_letters_that_were_left_in_the_status_line_do_not_hide_the_composer(left: str) -> None:
    # Seen when several were started at once on a busy machine.
    shown = screen("0.169.0/idle-120x40")
    rows = tuple(
        left + row[2:] if row.startswith("  GPT-5.5 default · ") else row for row in shown.lines
    )
    assert rows != shown.lines
    seen = state(Screen(rows, 120, 40))
    assert (seen.state, seen.draft, seen.model) == (SessionState.IDLE, "", "gpt-5.5")


@pytest.mark.parametrize("command", ["", " ls -la"])
def test_a_shell_command_that_the_desk_writes_is_a_draft(command: str) -> None:
    status = "  GPT-5.5 default · /tmp/proj · Lab session"
    hint = f"{'Shell mode · ⚠ 1 warning · f2 to view':>100}"
    rows = ("", f"!{command}", "", status, hint)
    seen = state(Screen(rows, 100, 10, cursor=(2 + len(command), 1)))
    assert (seen.state, seen.draft) == (SessionState.IDLE, f"!{command.strip()}")


# As 0.169 draws what `/experimental` opens at the desk.
TICKED = """  Experimental features
  Checked features are configured on.

› [ ] Network proxy  Apply network proxy restrictions to sandboxed sessions
  [ ] System proxy   Use macOS or Windows system proxy settings

  space toggle · enter save · esc save/close"""


@pytest.mark.parametrize("name", ["search_empty", "search_match"])
def test_the_search_for_a_message_of_before_is_a_draft(name: str) -> None:
    assert state(screen(f"0.171.0/{name}-120x40")).draft.startswith("reverse-i-search:")


def test_a_command_that_the_desk_reads_whole_hides_the_prompt() -> None:
    assert state(screen("0.171.0/command_read_whole-120x40")).holds_back


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("draft_beside_side", SeenState(SessionState.IDLE, draft="draft", model="gpt-5.5")),
        ("side_idle", None),
    ],
)
def test_beside_a_side_conversation_only_the_main_composer_is_read(
    name: str, seen: SeenState | None
) -> None:
    assert clawtap_codex.detect_state(screen(f"0.171.0/{name}-120x40"), None) == seen


def test_a_list_whose_rows_are_ticked_is_no_composer_with_a_draft() -> None:
    shown = Screen(tuple(TICKED.split("\n")), 80, 24)
    assert clawtap_codex.detect_state(shown, Previous(IDLE, 5.0)) is None
