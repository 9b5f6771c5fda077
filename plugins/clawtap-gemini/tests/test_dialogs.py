"""What is read of the CLI's own dialogs and lists."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clawtap_gemini.screen.prompt import detect_prompt, parse_prompt

from clawtap_core import Kind, Screen
from clawtap_core.prompts.identity import same_prompt


def test_the_start_up_dialogs_are_named(form_of) -> None:
    trust = form_of("0.61.0/folder-trust-120x40")
    assert (trust.dialog, trust.dismiss) == ("folder-trust", None)
    assert "MCP servers, agent skills" in trust.description
    nudge = form_of("0.34.0/ide-nudge-120x40")
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


def test_a_heading_beside_the_title_is_not_part_of_it(form_of) -> None:
    assert form_of("0.61.0/dlg-theme-120x40").title == "Select Theme"


def test_of_two_lists_with_a_cursor_each_none_is_read(recording) -> None:
    assert detect_prompt(recording("0.61.0/dlg-editor-120x40").screen) is None


def test_the_list_that_an_entry_opens_by_the_same_title_is_another_prompt(form_of) -> None:
    first, second = (form_of(f"0.61.0/{name}-120x40") for name in ("dlg-model", "dlg-models"))
    assert first.title == second.title
    assert not same_prompt(first, second)


@pytest.mark.parametrize("name", ["rewind-long-120x40", "rewind-low-60x15"])
def test_a_list_whose_first_entries_may_be_out_of_sight_is_not_passed_for_whole(
    name: str, recording
) -> None:
    assert detect_prompt(recording(f"0.61.0/dlg-{name}").screen) is None


def test_a_key_to_be_entered_is_secret(form_of) -> None:
    question = form_of("0.61.0/auth-apikey-120x40").questions[0]
    assert question.secret
    assert question.placeholder == "Paste your API key here"


def test_a_stored_session_that_is_painted_in_part_is_not_offered(recording) -> None:
    browser = recording("0.34.0/dlg-resume-120x40").screen
    at = next(at for at, row in enumerate(browser.lines) if row.startswith(" ❯ #1"))
    rows = list(browser.captured)
    rows[at:] = [browser.lines[at][:19], *[""] * (len(rows) - at - 1)]
    assert detect_prompt(replace(browser, captured=tuple(rows))) is None
