"""Messages, the mode and the model: typed, seen, sent."""

from __future__ import annotations

from pathlib import Path

import clawtap_claude as claude
import pytest

from clawtap_core import (
    Interrupt,
    LaunchRequest,
    Paste,
    Press,
    Previous,
    Screen,
    SeenState,
    SessionState,
    Steps,
    SwitchMode,
    SwitchModel,
    Type,
)
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")
VERSIONS = ("2.1.330", "2.1.85")
RULE = "─" * 60


def screen(version: str, name: str) -> Screen:
    return Recording.load(RECORDINGS / version / f"{name}-120x40.ansi").screen


def composer(*draft: str, footer: str = "  ? for shortcuts", column: int | None = None) -> Screen:
    rows = [f"❯ {draft[0]}" if draft else "❯", *(f"  {row}" for row in draft[1:])]
    lines = ("● Hello", "", RULE, *rows, RULE, *footer.split("\n"))
    cursor = (len(rows[-1]) if column is None else 2 + column, 2 + len(rows))
    return Screen(lines, 60, 20, cursor=cursor)


def keys(steps: Steps | None) -> list[str]:
    assert steps is not None
    return [step.key for step in steps.steps if isinstance(step, Press)]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_short_message_is_pasted_seen_and_sent(version: str) -> None:
    idle = screen(version, "idle")
    steps = claude.compose("hello there", idle, None)
    assert steps
    assert [step.text for step in steps.steps if isinstance(step, Paste)] == ["hello there"]
    sent = claude.compose("hello there", composer("hello there"), steps.progress)
    assert keys(sent) == ["Enter"]
    assert sent
    gone = claude.compose("hello there", composer(), sent.progress)
    assert gone
    assert keys(gone) == []
    stays = claude.compose("hello there", composer(), gone.progress)
    assert stays
    assert stays.done


def test_a_long_message_is_pasted_and_may_be_folded() -> None:
    text = "one\ntwo\n" + "many words " * 80 + "\n" * 3000 + "end"
    steps = claude.compose(text, composer(), None)
    assert steps
    assert any(isinstance(step, Paste) for step in steps.steps)
    assert keys(claude.compose(text, composer("[Pasted text #1 +2 lines]"), steps.progress)) == [
        "Enter"
    ]


def test_nothing_is_typed_into_a_draft_or_over_a_prompt() -> None:
    for shown in (composer("half a"), screen("2.1.330", "bash")):
        steps = claude.compose("hello", shown, None)
        assert keys(steps) == []
        assert steps
        assert not any(isinstance(step, Type | Paste) for step in steps.steps)


def test_an_enter_that_was_lost_is_pressed_again_but_not_at_once() -> None:
    steps = claude.compose("hello", composer("hello"), None)
    pressed = [keys(steps)]
    for _ in range(10):
        assert steps
        moved = 0 if ["Home"] in pressed else None
        steps = claude.compose("hello", composer("hello", column=moved), steps.progress)
        pressed.append(keys(steps))
    assert pressed[:3] == [["Enter"], [], []]
    assert [key for each in pressed for key in each][:3] == ["Enter", "Home", "Enter"]


def test_a_cli_that_reads_no_keys_gets_one_enter() -> None:
    steps, pressed = claude.compose("hello", composer("hello"), None), []
    while steps and not steps.done:
        pressed += keys(steps)
        steps = claude.compose("hello", composer("hello"), steps.progress)
    assert pressed.count("Enter") == 1


def test_a_prompt_right_after_enter_ends_the_message() -> None:
    entered = claude.compose("hello", composer("hello"), None)
    assert keys(entered) == ["Enter"]
    assert entered
    asks = claude.compose("hello", screen("2.1.330", "bash"), entered.progress)
    assert asks
    assert (keys(asks), asks.done) == ([], True)


def test_only_a_busy_cli_is_interrupted() -> None:
    busy, idle = screen("2.1.330", "busy_streaming"), screen("2.1.330", "idle")
    assert keys(claude.control(Interrupt(), busy, None)) == ["Escape"]
    assert claude.control(Interrupt(), idle, None) is None
    assert claude.control(Interrupt(), screen("2.1.330", "bash"), None) is None


COVERED = (
    ("2.1.332", "busy_with_slash_menu"),
    ("2.1.332", "busy_with_file_menu"),
    ("2.1.332", "busy_with_help"),
    ("2.1.85", "busy_with_slash_menu"),
    ("2.1.85", "busy_with_file_menu"),
    ("2.1.85", "busy_with_search"),
)


@pytest.mark.parametrize(("version", "name"), COVERED)
def test_what_the_desk_opened_over_a_turn_is_closed_before_the_turn_is_stopped(
    version: str, name: str
) -> None:
    covered = screen(version, name)
    first = claude.control(Interrupt(), covered, None)
    assert keys(first) == ["Escape"]
    assert first
    assert not first.done
    waits = claude.control(Interrupt(), covered, first.progress)
    assert keys(waits) == []


@pytest.mark.parametrize("name", ["busy_with_slash_menu", "busy_with_file_menu"])
def test_below_a_menu_that_hides_the_spinner_the_state_stays_what_it_was(name: str) -> None:
    for state in (SessionState.BUSY, SessionState.IDLE):
        seen = claude.detect_state(screen("2.1.332", name), Previous(SeenState(state), 0.0))
        assert seen
        assert (seen.state, seen.overlaid) == (state, True)


def test_a_search_that_a_notice_leaves_no_room_is_no_empty_composer() -> None:
    seen = claude.detect_state(screen("2.1.85", "busy_with_search"), None)
    assert seen
    assert seen.draft


def test_a_message_that_the_cli_puts_back_when_it_is_stopped_is_cleared_away() -> None:
    stop, waiting = Interrupt("write a poem"), screen("2.1.330", "busy_waiting")
    first = claude.control(stop, waiting, None)
    assert keys(first) == ["Escape"]
    assert first
    back = claude.control(stop, composer("write a poem"), first.progress)
    assert keys(back) == ["End", *["BSpace"] * 13]
    assert back
    last = claude.control(stop, composer(), back.progress)
    while last and not last.done:
        assert keys(last) == []
        last = claude.control(stop, composer(), last.progress)
    assert last


def test_what_the_desk_types_after_an_interrupt_is_left_alone() -> None:
    stop = Interrupt("write a poem")
    first = claude.control(stop, screen("2.1.330", "busy_waiting"), None)
    assert first
    assert claude.control(stop, composer("a new thought"), first.progress) == Steps(done=True)


def test_modes_go_round_until_the_wanted_one_comes() -> None:
    idle, plan = screen("2.1.330", "idle"), screen("2.1.330", "idle_mode2")
    steps = claude.control(SwitchMode("plan"), idle, None)
    assert keys(steps) == ["BTab"]
    assert steps
    assert keys(claude.control(SwitchMode("plan"), idle, steps.progress)) == []
    done = claude.control(SwitchMode("plan"), plan, steps.progress)
    assert done
    assert done.done


def test_a_mode_without_a_word_is_left_by_a_key_and_reached_only_after_another() -> None:
    plan = screen("2.1.330", "idle_mode2")
    hidden = composer(footer="  -- INSERT --")
    for target in ("plan", "default"):
        progress, pressed = None, []
        while not pressed:
            steps = claude.control(SwitchMode(target), hidden, progress)
            assert steps
            assert not steps.done
            pressed, progress = keys(steps), steps.progress
        assert pressed == ["BTab"]
    progress = claude.control(SwitchMode("default"), plan, progress).progress
    steps = Steps()
    while not steps.done:
        steps = claude.control(SwitchMode("default"), hidden, progress)
        assert keys(steps) == []
        progress = steps.progress


def test_a_mode_that_does_not_come_is_given_up_where_it_began() -> None:
    progress = None
    for name in ("idle", "idle_mode2", "idle_mode3"):
        steps = claude.control(SwitchMode("bypassPermissions"), screen("2.1.330", name), progress)
        assert keys(steps) == ["BTab"]
        assert steps
        progress = steps.progress
    idle = screen("2.1.330", "idle")
    assert claude.control(SwitchMode("bypassPermissions"), idle, progress) is None


def test_the_question_that_follows_a_switch_of_the_model_is_answered_with_yes() -> None:
    asked = screen("2.1.330", "model_switch")
    assert keys(claude.control(SwitchModel("sonnet"), asked, None)) == ["Enter"]
    assert claude.control(SwitchModel("two words"), screen("2.1.330", "idle"), None) is None


@pytest.mark.parametrize("mode", [None, "default", "plan", "acceptEdits", "auto"])
def test_the_mode_is_always_named_at_the_start(mode: str | None) -> None:
    launch = claude.launch(LaunchRequest("claude", "/tmp", permission_mode=mode))
    assert launch
    assert launch.argv[:3] == ("claude", "--permission-mode", mode or "default")
    assert launch.cli_session_id == launch.argv[-1]


def test_what_cannot_be_started_is_refused() -> None:
    assert claude.launch(LaunchRequest("claude", "/tmp", permission_mode="yolo")) is None
    assert claude.launch(LaunchRequest("claude", "/tmp", effort="enormous")) is None


def test_a_message_and_a_session_to_resume_go_in_by_argv() -> None:
    request = LaunchRequest("claude", "/tmp", message="-x", resume="abc", model="opus")
    launch = claude.launch(request)
    assert launch
    assert launch.argv[3:] == ("--model", "opus", "--resume", "abc", "--", "-x")
    assert (launch.cli_session_id, launch.includes_message) == ("abc", True)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_placeholder_is_no_draft(version: str) -> None:
    seen = claude.detect_state(screen(version, "busy_queued"), None)
    assert seen
    assert (seen.draft, seen.state.value) == ("", "busy")


@pytest.mark.parametrize("name", ["history_search", "history_search_typed"])
def test_a_search_for_an_earlier_message_takes_what_is_typed(name: str) -> None:
    seen = claude.detect_state(screen("2.1.85", name), None)
    assert seen
    assert (seen.draft or "").startswith("search prompts:")


@pytest.mark.parametrize(
    ("version", "before", "state"),
    [
        ("2.1.332", None, "waiting"),
        ("2.1.332", "idle", "waiting"),
        ("2.1.85", "idle", "idle"),
        ("2.1.85", "busy", "waiting"),
        ("2.1.85", "waiting", "waiting"),
    ],
)
def test_the_view_of_the_conversation_hides_a_prompt_and_ends_none(
    version: str, before: str | None, state: str
) -> None:
    previous = Previous(SeenState(SessionState(before)), 5.0) if before else None
    seen = claude.detect_state(screen(version, "bash_behind_transcript"), previous)
    assert seen
    assert (seen.state.value, seen.holds_back, seen.draft) == (state, True, None)


def test_the_answer_being_written_and_the_model_are_read() -> None:
    seen = claude.detect_state(screen("2.1.330", "busy_streaming"), None)
    assert seen
    assert seen.streaming.startswith("Streaming words")
    assert (seen.mode, seen.model) == ("default", "Opus 5.5")


def test_of_an_answer_longer_than_the_pane_the_visible_rows_are_read() -> None:
    before = Previous(SeenState(SessionState.BUSY, streaming="Step 1 of the long way home"), 0.1)
    for name, first, last in (("begun", 5, 21), ("further", 22, 38)):
        seen = claude.detect_state(screen("2.1.330", f"busy_long_text_{name}"), before)
        assert seen
        rows = seen.streaming.split("\n\n")
        steps = [f"Step {number} of the long way home" for number in range(first, last + 1)]
        assert [row.strip() for row in rows] == steps
        # It might be a long message of the user.
        alone = claude.detect_state(screen("2.1.330", f"busy_long_text_{name}"), None)
        assert alone
        assert alone.streaming == ""


def test_a_status_line_that_says_how_to_interrupt_is_no_sign_of_work() -> None:
    idle = composer(footer="  2. No, esc to interrupt\n  ⏸ manual mode on")
    busy = composer(footer="  2. No\n  -- INSERT -- ⏸ manual mode on · esc to interrupt")
    states = [claude.detect_state(shown, None) for shown in (idle, busy)]
    assert [seen and seen.state.value for seen in states] == ["idle", "busy"]
