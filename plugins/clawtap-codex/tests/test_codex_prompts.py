"""What is read of a prompt beyond what the recordings' truths tell."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import clawtap_codex
import pytest

from clawtap_core import Effect, Kind, PromptForm, Screen
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.merging import reported_questions
from clawtap_core.prompts.screen_tracker import PromptSighting, ScreenTracker
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")


def read(name: str) -> PromptForm:
    form = clawtap_codex.detect_prompt(Recording.load(RECORDINGS / f"{name}.ansi").screen)
    assert form
    return form


def drawn(*rows: str) -> PromptForm | None:
    return clawtap_codex.detect_prompt(Screen(rows, 80, len(rows)))


FOOTER = "  Press enter to confirm or esc to cancel"
YES_NO = ("› 1. Yes, proceed (y)", "  2. No, and tell Codex what to do differently (esc)")
TITLE = "  Would you like to run the following command?"


def test_a_command_that_the_list_offers_otherwise_than_it_is_shown_is_cut() -> None:
    # So 0.116 shows a command with a tab, and sometimes whole.
    whole, damaged = (
        drawn(
            *(TITLE, "", "  Reason: Is it all right?", "", f"  $ touch src   /etc/{name}", ""),
            "› 1. Yes, proceed (y)",
            "  2. Yes, and don't ask again for commands that start with `touch src",
            "     /etc/by-a-tab` (p)",
            *("  3. No, and tell Codex what to do differently (esc)", "", FOOTER),
        )
        for name in ("by-a-tab", "by-a-t")
    )
    assert whole
    assert damaged
    assert (whole.truncated, damaged.truncated, damaged.tool_input) == (False, True, None)
    assert same_prompt(whole, damaged)
    arguments = {"cmd": "touch src\t/etc/by-a-tab", "justification": "Is it all right?"}
    call = PromptForm(
        Kind.UNKNOWN, "", tool_name="exec_command", tool_input=arguments, tool_call_id="c"
    )
    merged = clawtap_codex.merge_prompt(damaged, call)
    assert merged
    assert merged.tool_input == {"command": "touch src\t/etc/by-a-tab"}
    assert not merged.truncated


def test_network_access_is_a_permission_for_a_host() -> None:
    form = drawn(
        '  Do you want to approve network access to "example.com"?',
        "",
        "  Reason: The package index is there",
        "",
        "› 1. Yes, just this once (y)",
        "  2. Yes, and allow this host for this conversation (a)",
        "  3. Yes, and allow this host in the future (p)",
        "  4. No, and block this host in the future (d)",
        "",
        FOOTER,
    )
    assert form
    assert (form.kind, form.tool_input) == (Kind.PERMISSION, {"host": "example.com"})
    assert [option.effect for option in form.options] == [
        Effect.ALLOW_ONCE,
        Effect.ALLOW_ALWAYS,
        Effect.ALLOW_ALWAYS,
        Effect.DENY,
    ]
    assert [option.hint for option in form.options] == ["y", "a", "p", "d"]


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_permissions_that_a_command_is_granted_are_part_of_its_input(version: str) -> None:
    seen = read(f"{version}/exec_addperm-120x40")
    granted = {"permissions": "network; write `/opt/cache`"}
    assert seen.tool_input == {"command": "touch /opt/cache/x", **granted}
    call = {"command": "touch /opt/cache/x", "timeout": 5}
    reported = replace(seen, tool_input=call, tool_call_id="call-1", options=())
    merged = clawtap_codex.merge_prompt(seen, reported)
    assert merged
    assert merged.tool_input == {**call, **granted}


@pytest.mark.parametrize(
    "footer",
    [
        (f"{FOOTER} or o to open thread",),
        (FOOTER, "  or o to open thread"),
    ],
)
def test_a_sub_agent_asks_in_its_own_name(footer: tuple[str, ...]) -> None:
    notes = ("  Thread: /root/toucher", "", "  Environment: local", "", "  Reason: May I?")
    form = drawn(TITLE, "", *notes, "", "  $ touch b.txt", "", *YES_NO, "", *footer)
    assert form
    assert (form.kind, form.origin) == (Kind.PERMISSION, "toucher")
    assert form.tool_input == {"command": "touch b.txt"}
    assert len(form.options) == 2


def test_what_only_mentions_a_thread_is_no_sub_agent() -> None:
    form = drawn(TITLE, "", "  Reason: Thread: /root/x", "", "  $ ls", "", *YES_NO, "", FOOTER)
    assert form
    assert form.origin is None


def test_keys_are_read_from_the_rows_and_moved_to_where_they_name_none() -> None:
    rows = ("› 1. Yes, proceed (ctrl + y)", "  2. No, and tell Codex what to do differently (x)")
    form = drawn(TITLE, "", "  $ ls", "", *rows, "", FOOTER)
    assert form
    assert [option.hint for option in form.options] == ["ctrl + y", "x"]


def test_a_key_that_was_rebound_changes_the_footer_only() -> None:
    footer = "  Press ctrl + y to confirm or ctrl + n to cancel"
    assert drawn(TITLE, "", "  $ ls", "", *YES_NO, "", footer)


@pytest.mark.parametrize(
    "below", [("› Ask Codex", "", "  gpt-5.4 default · /home/me"), ("• And so on",), ("$ ",)]
)
def test_what_has_something_below_is_only_quoted(below: tuple[str, ...]) -> None:
    assert drawn(TITLE, "", "  $ ls", "", *YES_NO, "", FOOTER, "", *below) is None


@pytest.mark.parametrize("missing", ["title", "options", "cursor"])
def test_what_is_not_complete_is_no_prompt(missing: str) -> None:
    title = () if missing == "title" else (TITLE, "")
    options = {"options": (), "cursor": tuple(row.replace("›", " ") for row in YES_NO)}
    rows = options.get(missing, YES_NO)
    assert drawn(*title, "  $ ls", "", *rows, "", FOOTER) is None


def test_a_command_that_quotes_a_prompt_does_not_become_its_title() -> None:
    bold = TITLE.replace("  ", "  \x1b[1m", 1) + "\x1b[0m"
    quoted = ("  $ cat <<END", "", TITLE, "", "  END")
    form = drawn(bold, "", *quoted, "", *YES_NO, "", FOOTER)
    assert form
    assert form.top == 0
    assert form.tool_input
    assert form.tool_input["command"].startswith("cat <<END")


def test_paths_that_were_cut_in_two_are_whole() -> None:
    (narrow, wide) = (read(f"0.169.0/patch-{size}") for size in ("60x20", "120x40"))
    assert "/work/demo/notes/todo.md" in narrow.description
    assert narrow.truncated
    assert "└ app.py (+2 -1)" in wide.description


def test_what_shows_through_a_diff_of_0_116_is_put_right() -> None:
    form = read("0.116.0/patch_large-60x20")
    assert [option.hint for option in form.options] == ["y", "a", "esc"]
    assert form.description.startswith("README.md (+0 -3)")
    assert "big.py (+120 -0)" in form.description
    assert same_prompt(form, read("0.116.0/patch_large-120x40"))


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_a_command_that_a_small_pane_cuts_is_the_same_prompt(version: str) -> None:
    sizes = [read(f"{version}/exec_long-{size}") for size in ("120x40", "60x20")]
    tiny = read(f"{version}/exec_tiny-50x14")
    assert same_prompt(sizes[0], sizes[1])
    assert same_prompt(sizes[0], tiny)
    assert tiny.truncated
    assert sizes[0].tool_input is None


@pytest.mark.parametrize("name", ["question_3_q1", "mcp_form_1", "plan_implement", "mcp_tool"])
@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_the_size_of_the_pane_makes_no_other_prompt(version: str, name: str) -> None:
    assert same_prompt(read(f"{version}/{name}-120x40"), read(f"{version}/{name}-60x20"))


def test_the_questions_of_one_form_are_different_prompts() -> None:
    assert not same_prompt(read("0.169.0/mcp_form_1-60x20"), read("0.169.0/mcp_form_3-60x20"))


@pytest.mark.parametrize("size", ["120x40", "60x20"])
@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_edits_of_other_files_are_another_prompt_however_soon_they_come(
    version: str, size: str
) -> None:
    first, second = read(f"{version}/patch-{size}"), read(f"{version}/patch_large-{size}")
    assert not same_prompt(first, second)
    tracker = ScreenTracker(0)
    screen = Screen(("",), 80, 24)
    assert tracker.see(screen, first, None, 1).new
    assert tracker.see(screen, second, None, 1.1).new


def test_input_for_a_terminal_is_shown_to_the_letter() -> None:
    form = read("0.169.0/write_stdin-60x20")
    assert form.tool_input == {"input": "import os; os.system('id')\n"}


def test_arguments_are_read_where_the_call_shows_them() -> None:
    assert read("0.116.0/mcp_tool-60x20").tool_input == {"id": "n1", "force": True}
    assert read("0.169.0/mcp_tool-60x20").tool_input is None


def test_a_plan_whose_heading_left_the_screen_is_cut() -> None:
    assert not read("0.169.0/plan_implement-120x40").truncated
    assert read("0.169.0/plan_implement-60x20").truncated


@pytest.mark.parametrize(
    ("name", "dialog", "dismiss"),
    [
        ("0.169.0/startup_trust-120x40", "folder-trust", None),
        ("0.116.0/startup_trust-120x40", "folder-trust", None),
        ("0.169.0/startup_hooks-120x40", "hooks-review", None),
        ("0.169.0/startup_migrate-60x20", "model-migration", "use-existing-model"),
        ("0.169.0/startup_update-60x20", "update", "skip"),
        ("0.169.0/startup_daemon-120x40", "daemon-settings", "run-without-daemon-this-time"),
        ("0.116.0/startup_update-60x20", "update", "skip"),
        ("0.116.0/rate_limit_nudge-60x20", "rate-limit-nudge", "keep-current-model"),
        ("0.171.0/slow_answer-120x40", "slow-answer", "dismiss-and-keep-waiting"),
        ("0.116.0/startup_login-60x20", "login", None),
        ("0.169.0/picker_model-60x20", None, None),
    ],
)
def test_dialogs_are_named_and_some_can_be_put_away(
    name: str, dialog: str | None, dismiss: str | None
) -> None:
    form = read(name)
    assert (form.dialog, form.dismiss) == (dialog, dismiss)


def test_trust_in_a_folder_lasts() -> None:
    for version in ("0.116.0", "0.169.0"):
        effects = [option.effect for option in read(f"{version}/startup_trust-120x40").options]
        assert effects == [Effect.ALLOW_ALWAYS, Effect.DENY]


def test_a_list_that_scrolls_says_so() -> None:
    assert read("0.169.0/picker_model-60x20").more_options
    assert read("0.116.0/mcp_form_long-60x20").more_options
    assert not read("0.116.0/mcp_form_long-100x30").more_options


@pytest.mark.parametrize("seconds", [57, 3])
def test_a_question_that_counts_down_is_the_same_question(seconds: int) -> None:
    shown = Recording.load(RECORDINGS / "0.169.0" / "question_3_q1-120x40.ansi").screen
    rows = [
        f"{row.rstrip()} · auto-resolves in {seconds}s" if "Question 1/3" in row else row
        for row in shown.lines
    ]
    before = clawtap_codex.detect_prompt(shown)
    after = clawtap_codex.detect_prompt(Screen(rows, shown.cols, shown.rows))
    assert before
    assert after
    assert before.questions[0].question == after.questions[0].question
    assert before.position == after.position
    assert same_prompt(before, after)
    assert before.description == ""
    assert after.description == "Codex goes on without an answer in less than a minute."


def sighting(rows: tuple[str, ...]) -> PromptSighting:
    screen = Screen(rows, 120, 60)
    form = clawtap_codex.detect_prompt(screen)
    assert form
    return PromptSighting(form, screen)


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_an_edit_whose_entry_is_painted_after_its_prompt_is_the_same_prompt(version: str) -> None:
    rows = Recording.load(RECORDINGS / f"{version}/patch-120x40.ansi").screen.lines
    entry = next(at for at, row in enumerate(rows) if row.startswith("• Edited"))
    title = next(at for at, row in enumerate(rows) if row.startswith("  Would you"))
    bare = sighting((*rows[:entry], *rows[title:]))
    whole = sighting(rows)
    assert bare.same(whole.form, whole.screen)
    assert not bare.answered(whole.form, whole.screen)
    # The entry of an edit that was answered stays above that of the next one.
    next_one = sighting((*rows[:title], *rows[entry:]))
    assert whole.form.top == entry
    assert whole.answered(next_one.form, next_one.screen) or version == "0.169.0"


def test_the_entry_of_another_edit_is_not_the_diff_that_is_asked_about() -> None:
    rows = Recording.load(RECORDINGS / "0.169.0/patch-120x40.ansi").screen.lines
    other = sighting(
        tuple(
            re.sub(r"app\.py|todo\.md", "other", row, count=1) if "└" in row else row
            for row in rows
        )
    )
    assert "hello" not in other.form.description
    assert "Destination" in other.form.description
    whole = sighting(rows)
    assert other.same(whole.form, whole.screen)


def test_a_frame_that_is_painted_again_below_an_old_one_is_the_same_prompt() -> None:
    """Ctrl+Z leaves the old frame on the screen, with the call and its list."""
    before, after = (
        sighting(
            Recording.load(RECORDINGS / f"0.116.0/shell-{when}-ctrl-z-120x40.ansi").screen.lines
        )
        for when in ("before", "after")
    )
    assert before.same(after.form, after.screen)
    assert not before.answered(after.form, after.screen)


def test_a_last_row_that_the_end_of_the_window_cuts_is_known() -> None:
    form = read("0.169.0/exec-45x17")
    refuses = form.with_effect(Effect.DENY)
    assert refuses
    assert (refuses.label, refuses.hint) == ("No, and tell Codex what to do differently", "esc")


@pytest.mark.parametrize("version", ["0.116.0", "0.169.0"])
def test_a_last_label_that_begins_like_a_longer_one_is_not_taken_for_it(version: str) -> None:
    screen = Recording.load(RECORDINGS / version / "rate_limit_nudge-120x40.ansi").screen
    rows = tuple("" if "never show again" in row else row for row in screen.captured)
    form = clawtap_codex.detect_prompt(replace(screen, captured=rows))
    assert form
    assert form.options[-1].label == "Keep current model"


def test_a_last_label_of_which_little_is_shown_is_not_guessed() -> None:
    form = drawn(TITLE, "", "  $ ls", "", "› 1. Yes, proceed (y)", "  2. No,", "", FOOTER)
    assert form
    assert form.options[-1].label == "No,"


def test_a_long_label_that_a_low_pane_cuts_is_completed_from_its_call() -> None:
    seen = read("0.171.0/question_long_labels-60x10")
    assert (seen.truncated, seen.more_options) == (True, True)
    (shown,) = seen.questions[0].options
    label = f"{shown.label} several rows"
    options = [{"label": text, "description": f"About {text}"} for text in (label, "Short")]
    asked = {"question": "Which one?", "header": "Choice", "options": options}
    call = PromptForm(
        Kind.QUESTION,
        "Which one?",
        tool_name="request_user_input",
        questions=reported_questions([asked], multi_select="multiple"),
    )
    whole = clawtap_codex.merge_prompt(seen, call)
    assert whole is not None
    assert [option.label for option in whole.questions[0].options] == [label, "Short"]
    assert (whole.truncated, whole.more_options) == (False, False)
