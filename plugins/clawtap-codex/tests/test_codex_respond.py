"""Every verified way to answer a recorded prompt is the one that is typed, and no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import clawtap_codex
import pytest
from clawtap_codex.screen.prompt import parse_prompt

from clawtap_core import Expect, Paste, Pause, Press, PromptForm, Response, Screen, Steps, Type
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")


def screen(name: str) -> Screen:
    return Recording.load(RECORDINGS / f"{name}.ansi").screen


def form_of(shown: Screen) -> PromptForm:
    form = clawtap_codex.detect_prompt(shown)
    assert form
    return form


def keys(steps: Steps | None) -> list[str]:
    """What is pressed and typed."""
    assert steps
    silent = (Expect, Pause)
    return [
        each.key if isinstance(each, Press) else each.text
        for each in steps.steps
        if not isinstance(each, silent)
    ]


def typed(name: str, **response: object) -> list[str]:
    shown = screen(name)
    given = Response("r", **response)  # type: ignore[arg-type]
    return keys(clawtap_codex.respond(form_of(shown), given, shown, None))


def chosen(name: str, option: str) -> list[str]:
    shown = screen(name)
    found = form_of(shown).option(option)
    assert found
    return typed(name, selected_option=found.value)


PREFIX = "Yes, and don't ask again for commands that start with `git push`"
NO = "No, and tell Codex what to do differently"
TURN = "Yes, grant these permissions for this turn"


@pytest.mark.parametrize("size", ["120x40", "60x20"])
@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
@pytest.mark.parametrize(
    ("name", "option", "key"),
    [
        ("exec_prefix", "Yes, proceed", "y"),
        ("exec_prefix", PREFIX, "p"),
        ("exec_prefix", NO, "Escape"),
        ("exec_multiline", NO, "Escape"),
        ("patch", "Yes, and don't ask again for these files", "a"),
        ("patch_large", "Yes, and don't ask again for these files", "a"),
        ("patch_large", NO, "Escape"),
        ("mcp_tool", "Allow", "1"),
        ("mcp_tool", "Allow for this session", "2"),
        ("plan_implement", "Yes, implement this plan", "1"),
        ("rate_limit_nudge", "Keep current model", "2"),
        ("rate_limit_nudge", "Keep current model (never show again)", "3"),
    ],
)
def test_an_option_is_chosen_by_its_key(
    version: str, size: str, name: str, option: str, key: str
) -> None:
    assert chosen(f"{version}/{name}-{size}", option) == [key]


@pytest.mark.parametrize(
    ("name", "option", "key"),
    [
        ("0.169.0/mcp_tool-120x40", "Always allow", "3"),
        ("0.169.0/mcp_tool-120x40", "Cancel", "4"),
        ("0.116.0/mcp_tool-120x40", "Cancel", "3"),
        ("0.169.0/mcp_confirm-120x40", "Deny", "2"),
        ("0.116.0/mcp_confirm-120x40", "No, but continue without it", "n"),
        ("0.116.0/mcp_confirm-120x40", "Cancel this request", "Escape"),
        ("0.116.0/mcp_url-120x40", "Yes, provide the requested info", "y"),
        ("0.169.0/plan_implement-120x40", "Yes, clear context and implement", "2"),
        ("0.169.0/plan_implement-120x40", "No, stay in Plan mode", "3"),
        ("0.116.0/plan_implement-120x40", "No, stay in Plan mode", "2"),
        ("0.169.0/request_permissions-60x20", TURN, "y"),
        ("0.169.0/request_permissions-60x20", "No, continue without permissions", "d"),
        ("0.116.0/request_permissions-60x20", "No, continue without permissions", "n"),
        ("0.169.0/write_stdin-60x20", "Yes, proceed", "y"),
    ],
)
def test_each_version_has_its_own_keys(name: str, option: str, key: str) -> None:
    assert chosen(name, option) == [key]


@pytest.mark.parametrize(
    ("name", "option", "key"),
    [
        ("0.169.0/question_unanswered-120x40", "Proceed", "Enter"),
        ("0.169.0/question_unanswered-120x40", "Go back", "Down"),
        # Two rows name Escape, which cancels.
        ("0.171.0/mcp_two_of_one_key-120x40", "No, but continue without it", "Down"),
        # A digit that comes after the menu has closed would be a draft.
        ("0.171.0/slow_answer-120x40", "Dismiss and keep waiting", "Down"),
    ],
)
def test_where_digits_only_highlight_or_come_late_the_cursor_is_moved(
    name: str, option: str, key: str
) -> None:
    assert chosen(name, option) == [key]


@pytest.mark.parametrize(
    ("name", "option", "then"),
    [
        ("0.169.0/startup_migrate-60x20", "Use existing model", ["2"]),
        ("0.169.0/startup_migrate-60x20", "Try new model", ["1"]),
        ("0.169.0/startup_update-60x20", "Skip", ["2"]),
        ("0.116.0/startup_update-120x40", "Skip until next version", ["3"]),
        ("0.169.0/startup_trust-120x40", "Trust and continue", ["Up", "Enter"]),
        ("0.116.0/startup_trust-120x40", "No, quit", ["Enter"]),
        ("0.169.0/startup_hooks-120x40", "Trust all and continue", ["Enter"]),
    ],
)
def test_a_cli_that_starts_is_seen_to_hear_before_it_is_answered(
    name: str, option: str, then: list[str]
) -> None:
    first = screen(name)
    form, cursor = form_of(first), 0
    found = form.option(option)
    assert found
    given, progress, pressed = Response("r", selected_option=found.value), None, []
    for _ in range(8):
        steps = clawtap_codex.respond(form, given, at_row(first, form, cursor), progress)
        assert steps
        pressed += keys(steps)
        cursor += {"Down": 1, "Up": -1}.get(pressed[-1], 0) if keys(steps) else 0
        progress = steps.progress
        if steps.done:
            break
    assert pressed == ["Down", *then]


def at_row(shown: Screen, form: PromptForm, cursor: int) -> Screen:
    """The screen with the cursor on another row of its list."""
    rows = [row.replace("›", " ") if row.strip() != "›" else row for row in shown.lines]
    start = next(at for at, row in enumerate(rows) if row.lstrip().startswith("1. "))
    rows[start + cursor] = "›" + rows[start + cursor][1:]
    return Screen(tuple(rows), shown.cols, shown.rows)


def test_keys_that_a_starting_cli_does_not_hear_are_pressed_again_but_decide_nothing() -> None:
    shown = screen("0.169.0/startup_trust-120x40")
    given = Response("r", selected_option="trust-and-continue")
    progress, pressed = None, []
    for _ in range(20):
        steps = clawtap_codex.respond(form_of(shown), given, shown, progress)
        if steps is None:
            break
        pressed += keys(steps)
        progress = steps.progress
    assert steps is None
    assert set(pressed) == {"Down"}


def test_escape_would_accept_the_new_model() -> None:
    shown = screen("0.169.0/startup_migrate-60x20")
    form = form_of(shown)
    assert (form.dialog, form.dismiss) == ("model-migration", "use-existing-model")
    denied = Response("r", decision="deny")
    assert clawtap_codex.respond(form, denied, shown, None) is None


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_an_answer_is_its_digit(version: str) -> None:
    name = f"{version}/question_1-120x40"
    assert typed(name, answers={"0": "SQLite"}) == ["2"]
    assert typed(name, answers={"0": "None of the above"}) == ["4"]
    assert typed(name, decision="deny") == ["Escape"]


def follow(name: str, response: Response, *screens: str) -> list[list[str]]:
    """The keys of each round on these screens, one after another."""
    shown = screen(name)
    form, progress, pressed = form_of(shown), None, []
    for now in (name, *screens):
        steps = clawtap_codex.respond(form, response, screen(now), progress)
        assert steps
        pressed.append(keys(steps))
        progress = steps.progress
    return pressed


@pytest.mark.parametrize("note", [{"reason": "keep it"}, {"notes": {"0": "keep it"}}])
@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_notes_are_opened_seen_filled_and_sent(version: str, note: dict[str, Any]) -> None:
    given = Response("r", answers={"0": "SQLite"}, **note)
    rounds = [f"{version}/question_{name}-120x40" for name in ("long", "notes", "notes_typed")]
    pressed = follow(rounds[0], given, *rounds[1:])
    assert pressed == [["Down"], ["keep it"], ["Enter"]]


@pytest.mark.parametrize("words", ["3. keep it", "1. SQLite"])
@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_notes_that_begin_like_an_option_are_text(version: str, words: str) -> None:
    shown = screen(f"{version}/question_notes_typed-120x40")
    rows = tuple(row.replace("keep it", words) for row in shown.captured)
    parsed = parse_prompt(replace(shown, captured=rows))
    assert parsed.field
    assert parsed.field.text == words
    assert [row.number for row in parsed.rows] == [1, 2, 3]
    # What stands where no cursor is remains a row.
    assert not parse_prompt(replace(shown, captured=rows, cursor_visible=False)).field.text


def test_a_note_that_opens_a_list_as_a_key_is_pasted() -> None:
    shown = screen("0.116.0/question_notes-120x40")
    given = Response("r", answers={"0": "SQLite"}, notes={"0": "? and why"})
    steps = clawtap_codex.respond(form_of(shown), given, shown, None)
    assert steps
    assert Paste("? and why") in steps.steps


def test_a_question_takes_notes_where_the_cli_offers_them() -> None:
    for name in ("0.169.0/question_1-60x20", "0.116.0/question_3_q2-60x20"):
        assert form_of(screen(name)).questions[0].notes
    assert not form_of(screen("0.116.0/mcp_form_1-120x40")).questions[0].notes


def test_nothing_is_typed_before_the_notes_are_open() -> None:
    given = Response("r", answers={"0": "duck"})
    for name in ("0.169.0/question_1-60x20", "0.116.0/question_3_q2-60x20"):
        assert typed(name, answers=given.answers) == ["Down"]


def test_notes_of_the_desk_are_closed_before_a_digit_is_pressed() -> None:
    assert typed("0.169.0/question_notes_typed-120x40", answers={"0": "SQLite"}) == ["Tab"]


@pytest.mark.parametrize("notes", [{}, {"0": "2 more days"}])
def test_notes_that_were_left_are_entered_before_anything_is_typed(notes: dict[str, str]) -> None:
    """As they stand below an answer to which somebody has gone back."""
    shown = replace(screen("0.169.0/question_notes_typed-120x40"), cursor_visible=False)
    given = Response("r", answers={"0": "SQLite"}, notes=notes)
    assert keys(clawtap_codex.respond(form_of(shown), given, shown, None)) == ["Tab"]


def test_a_field_is_filled_and_then_sent() -> None:
    name = "0.116.0/mcp_form_3-120x40"
    shown = screen(name)
    given = Response("r", answers={"0": "1.2.3"})
    first = clawtap_codex.respond(form_of(shown), given, shown, None)
    assert first
    assert Type("1.2.3") in first.steps
    again = clawtap_codex.respond(form_of(shown), given, shown, first.progress)
    assert keys(again) == []


def test_options_of_a_form_are_digits_while_there_is_one() -> None:
    assert typed("0.116.0/mcp_form_1-120x40", answers={"0": "beta"}) == ["2"]
    assert typed("0.116.0/mcp_form_long-100x30", answers={"0": "channel-12 with a name"}) == [
        "Down"
    ]


def test_an_option_that_is_out_of_sight_is_looked_for() -> None:
    shown = screen("0.169.0/exec_long-60x20")
    form = form_of(shown)
    assert form.more_options
    given = Response("r", selected_option="hidden")
    whole = form_of(screen("0.169.0/exec_long-120x40"))
    given = Response("r", selected_option=whole.options[-1].value)
    assert keys(clawtap_codex.respond(whole, given, shown, None)) == ["Down"]
    lower = screen("0.169.0/exec_long_3-60x20")
    assert keys(clawtap_codex.respond(whole, given, lower, None)) == ["Escape"]


def test_a_list_is_read_whole_by_going_round_it() -> None:
    name = "0.169.0/exec_long{}-60x20"
    form = form_of(screen(name.format("")))
    progress, steps = None, None
    for part in ("", "_2", "_3", ""):
        steps = clawtap_codex.reveal(form, screen(name.format(part)), (), progress)
        assert steps
        progress = steps.progress
    assert steps
    assert steps.form
    assert not steps.form.more_options
    whole = form_of(screen("0.169.0/exec_long-120x40"))
    assert [o.value for o in steps.form.options] == [o.value for o in whole.options]
    assert [o.hint for o in steps.form.options] == ["y", "p", "esc"]


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_a_note_that_the_cli_would_fold_is_pasted_in_pieces(version: str) -> None:
    shown = screen(f"{version}/question_notes-120x40")
    words = " ".join(f"word{number}" for number in range(200))
    given = Response("r", answers={"0": "SQLite"}, notes={"0": words})
    steps = clawtap_codex.respond(form_of(shown), given, shown, None)
    assert steps
    pieces = [step.text for step in steps.steps if isinstance(step, Paste)]
    assert "".join(pieces) == words
    assert max(map(len, pieces)) <= 1000


@pytest.mark.parametrize(
    ("given", "taken"), [({"reason": "so"}, True), ({"notes": {"0": "so"}}, False)]
)
def test_a_reason_that_became_a_note_was_given(given: dict[str, Any], taken: bool) -> None:
    shown = screen("0.169.0/question_notes-120x40")
    response = Response("r", answers={"0": "SQLite"}, **given)
    steps = clawtap_codex.respond(form_of(shown), response, shown, None)
    assert steps
    assert steps.reason_given is taken
