"""What a screen tells of the CLI's state, and of the composer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.screen.state import detect_state

from clawtap_core import Previous, Screen, SeenState, SessionState

STATES = {
    "idle-120x40": SessionState.IDLE,
    "idle-60x20": SessionState.IDLE,
    "idle-after-turn-120x40": SessionState.IDLE,
    "ctrl-c-once-120x40": SessionState.IDLE,
    "np-rejected-120x40": SessionState.IDLE,
    "np-quoted-prompt-120x40": SessionState.IDLE,
    "tmuxenv-idle-120x40": SessionState.IDLE,
    "busy-shell-120x40": SessionState.BUSY,
    "busy-streaming-120x40": SessionState.BUSY,
    "busy-waiting-120x40": SessionState.BUSY,
    "queued-at-start-120x40": SessionState.BUSY,
    "shell-simple-120x40": SessionState.WAITING,
    "loop-detected-120x40": SessionState.WAITING,
    "shell-awaiting-focused-120x40": SessionState.WAITING,
    "np-quit-120x40": SessionState.ENDED,
    "screen-reader-idle-120x40": SessionState.IDLE,
    "screen-reader-busy-120x40": SessionState.BUSY,
    "screen-reader-shell-120x40": SessionState.WAITING,
    "no-color-idle-120x40": SessionState.IDLE,
    "no-color-busy-120x40": SessionState.BUSY,
    "vim-insert-120x40": SessionState.IDLE,
    "vim-normal-120x40": SessionState.IDLE,
    "vim-normal-busy-120x40": SessionState.BUSY,
}
ONLY_NEW = ("tmuxenv-idle-120x40", "shell-awaiting-focused-120x40", "no-color", "vim")


def seen(screen: Screen, previous: Previous | None = None) -> SeenState:
    found = detect_state(screen, previous)
    assert found is not None
    return found


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
@pytest.mark.parametrize("name", STATES)
def test_the_state_is_read(version: str, name: str, recording) -> None:
    if version == "0.34.0" and name.startswith(ONLY_NEW):
        pytest.skip("not recorded")
    assert seen(recording(f"{version}/{name}").screen).state is STATES[name]


def test_the_dialog_at_a_used_up_limit_names_its_end(recording) -> None:
    limit = seen(recording("0.61.0/usage-limit-120x40").screen).limit
    assert limit == "Usage limit reached for all Pro models. Access resets at 6:35 AM UTC."
    assert seen(recording("0.61.0/shell-simple-120x40").screen).limit == ""


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
def test_the_draft_is_read(version: str, recording) -> None:
    def draft(name: str) -> str | None:
        return seen(recording(f"{version}/{name}").screen).draft

    assert draft("idle-120x40") == ""
    assert draft("idle-typed-120x40") == "half typed message"
    assert draft("idle-typed-multiline-120x40") == "first line\nsecond line"
    assert (draft("idle-draft-long-120x40") or "").endswith("and then some more")
    assert draft("busy-shell-120x40") == ""
    if version == "0.61.0":  # its rule has left the pane
        assert draft("idle-draft-low-40x12") == "one\n\n\n\ntwo"
    assert draft("shell-simple-120x40") is None


@pytest.mark.parametrize(
    ("name", "vim", "draft", "mode"),
    [
        ("vim-insert", "INSERT", "", "default"),
        ("vim-normal", "NORMAL", "", "default"),
        ("vim-draft", "INSERT", "do it please", "default"),
        ("no-color-idle", None, "", "default"),
        ("no-color-draft", None, "do it please", "default"),
        ("screen-reader-idle", None, "", "default"),
    ],
)
def test_a_composer_that_looks_otherwise_is_read(name, vim, draft, mode, recording) -> None:
    composer = find_composer(recording(f"0.61.0/{name}-120x40").screen)
    assert composer is not None
    assert (composer.vim, composer.draft, composer.mode) == (vim, draft, mode)


def test_a_composer_whose_edges_are_only_colour_is_read(recording) -> None:
    screen = recording("0.61.0/tmuxenv-idle-120x40").screen
    assert seen(screen).draft == ""
    typed = [
        line.replace(">   Type your message or @path/to/file", "> hello") for line in screen.lines
    ]
    assert seen(replace(screen, captured=tuple(typed), cursor=None)).draft == "hello"


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
@pytest.mark.parametrize("name", ["idle-draft-newline", "tmuxenv-idle-draft-newline"])
def test_a_cursor_where_a_row_of_the_draft_begins_is_seen(
    version: str, name: str, recording
) -> None:
    composer = find_composer(recording(f"{version}/{name}-120x40").screen)
    assert composer is not None
    assert (composer.draft, composer.at_start) == ("hi", True)
    whole = find_composer(recording(f"{version}/idle-typed-120x40").screen)
    assert whole is not None
    assert whole.at_start is False


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
def test_the_mode_is_read_above_the_composer(version: str, recording) -> None:
    def mode(name: str) -> str | None:
        return seen(recording(f"{version}/{name}").screen).mode

    assert mode("idle-120x40") == "default"
    assert mode("idle-autoedit-120x40") == "auto_edit"
    assert mode("idle-plan-120x40") == "plan"
    assert mode("idle-yolo-120x40") == "yolo"
    assert mode("busy-shell-120x40") == "yolo"


def test_the_model_is_read_in_the_footer(recording) -> None:
    assert seen(recording("0.61.0/idle-120x40").screen).model == "gemini-2.5-pro"
    assert seen(recording("0.34.0/idle-60x20").screen).model == "gemini-2.5-pro"


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
def test_the_answer_is_seen_while_it_is_written(version: str, recording) -> None:
    streaming = seen(recording(f"{version}/busy-streaming-120x40").screen).streaming
    assert streaming.startswith("Sentence number 0 of the answer.\n")
    assert streaming.endswith("Sentence number 5 of the answer.")
    assert not seen(recording(f"{version}/busy-waiting-120x40").screen).streaming


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
def test_an_answer_longer_than_the_screen_is_seen_from_where_the_screen_begins(
    version: str, recording
) -> None:
    screen = recording(f"{version}/busy-streaming-120x40").screen
    begins = next(row for row, line in enumerate(screen.lines) if line.startswith("✦"))
    scrolled = replace(screen, captured=tuple(screen.lines[begins + 1 :]))
    streaming = seen(scrolled).streaming
    assert streaming.startswith("Sentence number 1 of the answer.\n")
    assert streaming.endswith("Sentence number 5 of the answer.")


def test_a_thought_is_distinguished_from_tips(recording) -> None:
    screen = recording("0.61.0/busy-waiting-120x40").screen
    lines = [line.replace("Thinking...", "Pondering the design") for line in screen.lines]
    assert seen(replace(screen, captured=tuple(lines))).thinking == "Pondering the design"
    for version in ("0.34.0", "0.61.0"):
        assert not seen(recording(f"{version}/busy-waiting-120x40").screen).thinking


def test_hooks_that_run_are_no_thought(recording) -> None:
    screen = recording("0.61.0/busy-waiting-120x40").screen
    words = "Executing Hooks: clawtap, clawtap"
    now = seen(
        replace(screen, captured=tuple(x.replace("Thinking...", words) for x in screen.lines))
    )
    assert words in "\n".join(x.replace("Thinking...", words) for x in screen.lines)
    assert (now.state, now.thinking) == (SessionState.BUSY, "")


@pytest.mark.parametrize(
    "words",
    [
        " ! Shell awaiting input (Tab to focus)",
        " ⠏ Interactive shell awaiting input... press tab to focus shell (esc to cancel, 20s)",
    ],
)
def test_a_command_that_waits_for_input_is_waiting(words: str, recording) -> None:
    screen = recording("0.61.0/busy-shell-120x40").screen
    lines = [words if "Thinking" in line else line for line in screen.lines]
    assert seen(replace(screen, captured=tuple(lines))).state is SessionState.WAITING


def test_a_message_that_the_starting_cli_keeps_back_is_work(recording) -> None:
    screen = recording("0.61.0/idle-120x40").screen
    lines = list(screen.lines)
    lines[12:14] = ["▄" * 120, " > make a plan", "▀" * 120]
    kept = replace(screen, captured=tuple(lines), cursor=None)
    idle = SeenState(SessionState.IDLE)
    assert seen(kept, Previous(idle, 1.0)).state is SessionState.BUSY
    assert seen(kept, Previous(idle, 60.0)).state is SessionState.IDLE


def test_a_slash_command_above_is_no_work(recording) -> None:
    screen = recording("0.61.0/idle-120x40").screen
    lines = list(screen.lines)
    lines[12:14] = ["▄" * 120, " > /theme", "▀" * 120]
    done = replace(screen, captured=tuple(lines), cursor=None)
    assert seen(done, Previous(SeenState(SessionState.IDLE), 1.0)).state is SessionState.IDLE


def test_an_empty_screen_is_a_cli_that_starts_but_not_for_ever() -> None:
    empty = Screen(("",) * 24)
    assert seen(empty).state is SessionState.STARTING
    starting = SeenState(SessionState.STARTING)
    assert seen(empty, Previous(starting, 5.0)).state is SessionState.STARTING
    assert detect_state(empty, Previous(starting, 60.0)) is None


def test_a_screen_that_fits_nothing_has_no_state() -> None:
    assert detect_state(Screen(("A dialog", "that nobody", "knows")), None) is None


def test_a_draft_of_several_lines_is_read_in_the_view_for_screen_readers(recording) -> None:
    screen = recording("0.61.0/screen-reader-idle-120x40").screen
    rows = [line for line in screen.lines if line]
    rows[-1:] = [">  two words", "in two lines"]
    composer = find_composer(replace(screen, captured=tuple(rows), cursor=None))
    assert composer is not None
    assert (composer.draft, composer.mode) == ("two words\nin two lines", "default")


@pytest.mark.parametrize(
    ("row", "draft"),
    [
        (" !   Type your shell command", "!"),
        (" ! ls -la", "!ls -la"),
        (" (r:) ", "(r:)"),
        (" >   Type your message", ""),
    ],
)
def test_a_message_is_not_for_the_shell_or_a_search(row: str, draft: str) -> None:
    rows = (
        "─" * 60,
        "  shell mode enabled (esc to disable)",
        "▄" * 60,
        row,
        "▀" * 60,
        "  workspace (/directory)      sandbox         /model",
        "  /proj                       no sandbox      gemini-2.5-pro",
    )
    composer = find_composer(Screen(rows, 60, 20, cursor=(3, 3) if not draft[1:] else None))
    assert composer
    assert composer.draft == draft
