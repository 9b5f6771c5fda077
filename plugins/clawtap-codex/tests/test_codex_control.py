"""Messages, interrupts, modes and models: each step follows from what the screen shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import clawtap_codex
import pytest

from clawtap_core import (
    Interrupt,
    LaunchRequest,
    Paste,
    Press,
    Screen,
    Steps,
    SwitchMode,
    SwitchModel,
    Type,
)
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")
BOTH = pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])


def screen(name: str) -> Screen:
    return Recording.load(RECORDINGS / f"{name}.ansi").screen


def keys(steps: Steps | None) -> list[str]:
    assert steps
    pressed = (each for each in steps.steps if isinstance(each, Press | Type | Paste))
    return [each.key if isinstance(each, Press) else each.text for each in pressed]


def follow(action: Any, *names: str) -> list[list[str]]:
    """The keys of each round on these screens."""
    progress, rounds = None, []
    for name in names:
        steps = clawtap_codex.control(action, screen(name), progress)
        assert steps
        rounds.append(keys(steps))
        progress = steps.progress
    return rounds


@BOTH
def test_a_message_is_pasted_seen_and_sent(version: str) -> None:
    steps = clawtap_codex.compose("half a draft", screen(f"{version}/idle-120x40"), None)
    assert keys(steps) == ["half a draft"]
    assert steps
    assert not steps.done
    assert not any(isinstance(each, Press) for each in steps.steps)
    unseen = clawtap_codex.compose("half a draft", screen(f"{version}/idle-120x40"), steps.progress)
    assert keys(unseen) == []
    there = screen(f"{version}/idle_draft-100x30")
    assert keys(clawtap_codex.compose("half a draft", there, steps.progress)) == ["Enter"]


def test_nothing_is_sent_while_the_draft_is_not_the_message() -> None:
    there = screen("0.169.0/idle_draft-100x30")
    steps = clawtap_codex.compose("another message", there, None)
    assert keys(steps) == []


def test_a_long_message_goes_in_pieces_that_stay_readable() -> None:
    text = "word " * 500
    steps = clawtap_codex.compose(text, screen("0.169.0/idle-120x40"), None)
    pieces = keys(steps)
    assert "".join(pieces) == text.strip()
    assert max(map(len, pieces)) <= 1000


def test_a_file_at_the_end_gets_a_blank_that_closes_its_list() -> None:
    steps = clawtap_codex.compose("see @app.py", screen("0.169.0/idle-120x40"), None)
    assert keys(steps) == ["see @app.py "]


def test_a_paste_that_is_lost_is_repeated_once() -> None:
    idle, progress, pasted = screen("0.169.0/idle-120x40"), None, 0
    for _ in range(20):
        steps = clawtap_codex.compose("hello", idle, progress)
        if steps is None:
            break
        pasted += len(keys(steps))
        progress = steps.progress
    assert steps is None
    assert pasted == 2


@BOTH
def test_escape_interrupts_from_the_composer_only(version: str) -> None:
    assert follow(Interrupt(), f"{version}/busy_exec-120x40") == [["Escape"]]
    asking = screen(f"{version}/exec_prefix-120x40")
    assert clawtap_codex.control(Interrupt(), asking, None) is None


@pytest.mark.parametrize(
    "name", ["popup_slash-100x30", "popup_file-120x40", "popup_shortcuts-120x40"]
)
def test_what_the_desk_opened_over_a_turn_is_closed_before_the_turn_is_stopped(name: str) -> None:
    covered = replace(screen(f"0.169.0/{name}"), title="⠸ Demo | demo")
    first = clawtap_codex.control(Interrupt(), covered, None)
    assert keys(first) == ["Escape"]
    assert first
    assert not first.done
    assert keys(clawtap_codex.control(Interrupt(), covered, first.progress)) == []


def test_escape_does_nothing_while_0_116_writes_an_answer() -> None:
    growing = screen("0.116.0/busy_streaming-120x40")
    assert clawtap_codex.control(Interrupt(), growing, None) is None
    spins = replace(screen("0.169.0/busy_streaming-120x40"), title="⠸ Demo | demo")
    assert keys(clawtap_codex.control(Interrupt(), spins, None)) == ["Escape"]


@BOTH
def test_the_plan_mode_is_turned_on_and_off(version: str) -> None:
    idle, planning = f"{version}/idle-120x40", f"{version}/idle_plan_mode-100x30"
    assert follow(SwitchMode("plan"), idle, planning) == [["BTab"], []]
    assert follow(SwitchMode("default"), planning, idle) == [["BTab"], []]


def test_permissions_are_chosen_from_their_list() -> None:
    version = "0.169.0"
    names = [f"{version}/idle-120x40", f"{version}/popup_slash-100x30"]
    names += [f"{version}/picker_permissions-120x40"]
    rounds = follow(SwitchMode("full-access"), *names)
    assert rounds == [["/permissions"], ["Enter"], ["Up"]]
    rounds = follow(SwitchMode("read-only"), *names, f"{version}/idle-120x40")
    assert rounds[2:] == [["Enter"], []]


def test_what_is_left_of_a_command_whose_keys_were_lost_is_cleared_and_typed_again() -> None:
    idle = screen("0.169.0/idle-120x40")
    half = replace(
        screen("0.169.0/popup_slash-100x30"),
        captured=tuple(
            row.replace("/permissions", "ssions", 1) if "›" in row else row
            for row in screen("0.169.0/popup_slash-100x30").captured
        ),
    )
    progress, pressed = None, []
    while pressed.count("/permissions") < 2:
        shown = half if pressed and "End" not in pressed else idle
        steps = clawtap_codex.control(SwitchMode("full-access"), shown, progress)
        assert steps
        assert steps.spans
        pressed += keys(steps)
        progress = steps.progress
    assert pressed[:2] == ["/permissions", "End"]
    assert set(pressed[2:-1]) == {"BSpace"}
    assert pressed[-1] == "/permissions"


def test_full_access_is_confirmed_where_it_was_asked_for() -> None:
    version = "0.116.0"
    names = [f"{version}/{name}" for name in ("idle-120x40", "popup_slash-100x30")]
    picker = screen(f"{version}/picker_permissions-120x40")
    rows = list(picker.captured)
    rows[15], rows[17] = rows[15].replace("›", " "), rows[17].replace("  2.", "› 2.")
    progress = None
    shown = [screen(name) for name in names] + [replace(picker, captured=tuple(rows))]
    shown.append(screen(f"{version}/confirm_full_access-120x40"))
    pressed = []
    for each in shown:
        steps = clawtap_codex.control(SwitchMode("full-access"), each, progress)
        pressed.append(keys(steps))
        assert steps
        progress = steps.progress
    assert pressed == [["/permissions"], ["Enter"], ["Enter"], ["Enter"]]


def test_permissions_that_are_not_offered_close_the_list_again() -> None:
    version = "0.116.0"
    names = [f"{version}/idle-120x40", f"{version}/popup_slash-100x30"]
    names += [f"{version}/picker_permissions-120x40"]
    assert follow(SwitchMode("approve-for-me"), *names)[-1] == ["Escape"]
    assert clawtap_codex.control(SwitchMode("reckless"), screen(names[0]), None) is None


@pytest.mark.parametrize(("version", "key"), [("0.116.0", "Enter"), ("0.169.0", "s")])
def test_a_model_is_chosen_for_the_session_where_the_cli_offers_that(
    version: str, key: str
) -> None:
    idle = screen(f"{version}/idle-120x40")
    typed = replace(idle, captured=tuple(row.replace("Ask", "") for row in idle.captured))
    steps = clawtap_codex.control(SwitchModel("gpt-6-astra"), typed, None)
    assert keys(steps) == ["/model"]
    picker = screen(f"{version}/picker_model-120x40")
    model = {"0.116.0": "gpt-5.4", "0.169.0": "gpt-5.5"}[version]
    from clawtap_codex.keys.control import _SwitchProgress

    chosen = clawtap_codex.control(SwitchModel(model), picker, _SwitchProgress(sent=True))
    assert keys(chosen) == ["Enter"]
    assert chosen
    effort = screen(f"{version}/picker_effort-100x30")
    assert keys(clawtap_codex.control(SwitchModel(model), effort, chosen.progress)) == [key]


def launched(**more: Any) -> tuple[str, ...] | None:
    launch = clawtap_codex.launch(LaunchRequest("codex", "/home/me", **more))
    return launch.argv if launch else None


def test_the_cli_is_started_as_it_was_asked_for() -> None:
    assert launched() == ("codex",)
    assert launched(model="gpt-5.5", effort="high", args=("--no-daemon",)) == (
        *("codex", "--model", "gpt-5.5"),
        *("--config", 'model_reasoning_effort="high"', "--no-daemon"),
    )
    assert launched(message="-n fix it") == ("codex", "--", "-n fix it")
    assert launched(resume="id1", message="go on") == ("codex", "resume", "--", "id1", "go on")
    assert launched(permission_mode="read-only") == (
        *("codex", "--sandbox", "read-only", "--ask-for-approval", "on-request"),
    )


@pytest.mark.parametrize(
    "more", [{"permission_mode": "plan"}, {"effort": "heroic"}, {"channel": "hook"}]
)
def test_what_no_flag_can_say_is_not_started(more: dict[str, Any]) -> None:
    assert launched(**more) is None
