"""Every way to answer that was verified on the real CLI yields these keys, on both versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import clawtap_claude as claude
import pytest

from clawtap_core import (
    Pause,
    Position,
    Press,
    PromptForm,
    QuestionOption,
    Response,
    Screen,
    Steps,
    Type,
)
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.screen_tracker import PromptSighting
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")
VERSIONS = ("2.1.330", "2.1.85")


def screen(version: str, name: str) -> Screen:
    return Recording.load(RECORDINGS / version / f"{name}.ansi").screen


def asked(shown: Screen) -> PromptForm:
    form = claude.detect_prompt(shown)
    assert form is not None
    return form


def keys(steps: Steps | None) -> list[str]:
    assert steps is not None
    found = (step for step in steps.steps if isinstance(step, Press | Type))
    return [step.key if isinstance(step, Press) else step.text for step in found]


def first(shown: Screen, **given: Any) -> list[str]:
    return keys(claude.respond(asked(shown), Response("r", **given), shown, None))


def verified() -> Iterator[Any]:
    """The labels that a digit chooses, as recordings tell."""
    for version in VERSIONS:
        for recording in Recording.load_all(RECORDINGS / version):
            form = claude.detect_prompt(recording.screen) if recording.truth.is_prompt else None
            if form is None or form.kind.value != "permission" or form.dialog:
                continue
            if "amend" in recording.name or not recording.truth.rows:
                continue
            for row in recording.truth.rows:
                if row.index is not None and "auto_risky" not in recording.name:
                    at = (version, recording.name, row.label, str(row.index + 1))
                    yield pytest.param(*at, id=f"{version}-{recording.name}-{row.index}")


@pytest.mark.parametrize(("version", "name", "label", "digit"), list(verified()))
def test_a_digit_chooses_a_permission(version: str, name: str, label: str, digit: str) -> None:
    shown = screen(version, name)
    form = asked(shown)
    option = next(each for each in form.options if label.startswith(each.label))
    if form.title == "Switch model?":
        pytest.skip("no recording proves its digits")
    if form.options[-1].label == label:
        option = form.options[-1]
    longest = [each for each in form.options if label.startswith(each.label)]
    option = max(longest, key=lambda each: len(each.label))
    assert first(shown, selected_option=option.value) == [digit]


@pytest.mark.parametrize("version", VERSIONS)
def test_no_is_found_by_its_label(version: str) -> None:
    for name, digit in (("bash-120x40", {"2.1.330": "4", "2.1.85": "3"}[version]),):
        assert first(screen(version, name), selected_option="no") == [digit]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_reason_goes_to_the_field_of_the_row_that_says_no(version: str) -> None:
    empty, filled = screen(version, "bash_amend_empty-120x40"), "use another name for it please"
    response = Response("r", selected_option="no", reason=filled)
    assert first(screen(version, "bash-120x40"), selected_option="no", reason="x") == ["Down"]
    steps = claude.respond(asked(empty), response, empty, None)
    assert keys(steps) == [filled]
    assert steps
    full = screen(version, "bash_amend_filled-120x40")
    assert keys(claude.respond(asked(empty), response, full, steps.progress)) == ["Enter"]
    # The line that offers the field may have been painted since the prompt was known.
    early = replace(asked(empty), takes_reason=False)
    assert keys(claude.respond(early, response, empty, None)) == [filled]


def test_a_reason_of_many_rows_is_read_back_whole() -> None:
    empty, full = (screen("2.1.330", f"bash_amend_{what}-120x40") for what in ("empty", "long"))
    reason = "word é " * 105 + "word"
    response = Response("r", selected_option="no", reason=reason)
    steps = claude.respond(asked(empty), response, empty, None)
    assert keys(steps) == [reason]
    assert steps
    assert keys(claude.respond(asked(full), response, full, steps.progress)) == ["Enter"]


def test_an_empty_field_is_known_though_its_hint_is_cut() -> None:
    shown = screen("2.1.330", "bash_amend_empty-45x17")
    assert first(shown, selected_option="no", reason="no thanks") == ["no thanks"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["bash", "plan"])
def test_a_reason_that_a_field_would_show_in_disorder_is_left(version: str, name: str) -> None:
    shown = screen(version, f"{name}-120x40")
    chosen = {"selected_option": "no"} if name == "bash" else {"decision": "deny"}
    response = Response("r", reason="use \u202etxt.exe\u202c", **chosen)  # type: ignore[arg-type]
    steps = claude.respond(asked(shown), response, shown, None)
    assert steps
    assert steps.reason_left
    assert steps.deciding


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("length", [2000, 5000])
def test_a_reason_that_would_push_the_list_off_the_screen_is_left(
    version: str, length: int
) -> None:
    shown = screen(version, "bash-120x40")
    response = Response("r", selected_option="no", reason="x" * length)
    steps = claude.respond(asked(shown), response, shown, None)
    assert steps
    left = length > 2000
    assert (steps.reason_left, bool(steps.deciding)) == (left, left)
    assert keys(steps) == ([{"2.1.330": "4", "2.1.85": "3"}[version]] if left else ["Down"])


@pytest.mark.parametrize("version", VERSIONS)
def test_a_key_is_not_pressed_again_while_the_screen_does_not_show_it(version: str) -> None:
    # A list that wraps around would come back to the row that says yes.
    shown = screen(version, "bash-120x40")
    response = Response("r", selected_option="no", reason="not like this")
    steps = claude.respond(asked(shown), response, shown, None)
    assert keys(steps) == ["Down"]
    for _ in range(5):
        assert steps
        steps = claude.respond(asked(shown), response, shown, steps.progress)
        assert keys(steps) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_an_answer_is_a_digit_and_to_chat_is_reached_by_arrows(version: str) -> None:
    shown = screen(version, "ask_single-120x40")
    assert first(shown, answers={"0": "SQLite"}) == ["2"]
    assert first(shown, answers={"0": "Chat about this"}) == ["Down"]
    assert first(shown, answers={"0": "words of my own"}) == ["Down"]


def test_no_digit_is_pressed_while_the_cursor_is_below_the_list() -> None:
    shown = screen("2.1.85", "ask_on_chat-120x40")
    assert first(shown, answers={"0": "SQLite"}) == ["Up"]
    assert first(shown, answers={"0": "words of my own"}) == ["Up"]
    assert first(shown, answers={"0": "Chat about this"}) == ["Enter"]


@pytest.mark.parametrize("version", VERSIONS)
def test_answers_are_ticked_one_by_one(version: str) -> None:
    shown = screen(version, "ask_multi-120x40")
    assert first(shown, answers={"0": ("Login", "Export")}) == ["1"]
    ticked = screen(version, "ask_multi_on_submit-120x40")
    # Older versions may not have taken the last of the text yet: its row is ticked again.
    assert first(ticked, answers={"0": ("Login", "Dark")}) == ["Up"]
    assert first(ticked, answers={"0": ("Login",)}) == ["Up"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_page_says_which_questions_have_no_answer(version: str) -> None:
    pages = ("ask_tabs", "ask_tabs_2multi", "ask_tabs_3", "ask_tabs_review")
    read = [asked(screen(version, f"{page}-120x40")).unanswered for page in pages]
    assert read == [(1, 2, 3), (2, 3), (3,), ()]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_review_that_follows_the_last_question_is_sent(version: str) -> None:
    last, review = screen(version, "ask_tabs_3-120x40"), screen(version, "ask_tabs_review-120x40")
    response = Response("r", answers={"0": "Later"})
    steps = claude.respond(asked(last), response, last, None)
    assert keys(steps) == ["2"]
    assert steps
    assert steps.spans
    following = claude.respond(asked(last), response, review, steps.progress)
    assert keys(following) == ["1"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_review_without_words_that_the_cli_lost_is_not_sent(version: str) -> None:
    last, review = screen(version, "ask_tabs_3-120x40"), screen(version, "ask_tabs_review-120x40")
    sent = claude.respond(asked(last), Response("r", answers={"0": "Later"}), last, None)
    assert sent
    words = Response("r", answers={"0": "words of my own"})
    assert keys(claude.respond(asked(last), words, review, sent.progress)) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_plan_is_approved_sent_back_and_refused(version: str) -> None:
    shown = screen(version, "plan-120x40")
    form = asked(shown)
    assert first(shown, selected_option=form.options[1].value) == ["2"]
    assert first(shown, text_value="fewer steps") == ["Down"]
    assert first(shown, decision="deny") == ["Escape"]
    assert first(shown, decision="deny", reason="fewer steps") == ["Down"]


def test_what_stands_in_the_field_of_a_plan_is_sent_or_replaced() -> None:
    shown = screen("2.1.330", "plan_feedback-120x40")
    assert first(shown, text_value="use fewer steps") == ["Enter"]
    assert first(shown, text_value="use more steps")[:2] == ["End", "BSpace"]


@pytest.mark.parametrize("name", ["startup_trust", "startup_bypass", "startup_apikey"])
def test_an_unnumbered_dialog_is_answered_by_arrows_and_enter(name: str) -> None:
    shown = screen("2.1.330", f"{name}-120x40")
    form = asked(shown)
    other = next(option for option in form.options if option.value != form.selected)
    assert first(shown, selected_option=form.selected) == ["Enter"]
    assert first(shown, selected_option=other.value) in (["Down"], ["Up"])


def test_the_question_about_the_mode_is_dismissed_with_no() -> None:
    form = asked(screen("2.1.330", "startup_mode_nudge-120x40"))
    assert (form.dialog, form.dismiss) == ("mode-nudge", "no-keep-manual-mode")
    trust = asked(screen("2.1.330", "startup_trust-120x40"))
    assert (trust.dialog, trust.dismiss) == ("folder-trust", None)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_form_is_unfolded_filled_in_and_declined(version: str) -> None:
    shown = screen(version, "elicitation-120x40")
    assert first(shown, answers={"0": "production"}) == ["Right"]
    assert first(shown, selected_option="decline") == ["Down"]


def test_a_form_is_declined_with_enter_on_its_button() -> None:
    shown = screen("2.1.330", "elicitation_decline-120x40")
    assert first(shown, selected_option="decline") == ["Enter"]


def test_what_hangs_on_the_size_does_not_change_the_subject() -> None:
    whole, small = (asked(screen("2.1.330", f"bash-{size}")) for size in ("120x40", "60x20"))
    assert replace(whole, top=None).subject == small.subject


def test_a_row_that_the_cli_squeezed_is_still_a_row() -> None:
    shown = screen("2.1.85", "bash-60x20")
    squeezed = tuple(row.replace(" 2. Yes", " 2.Yes") for row in shown.lines)
    assert squeezed != shown.lines
    form = asked(replace(shown, captured=squeezed))
    assert [option.label for option in form.options] == [
        option.label for option in asked(shown).options
    ]


@pytest.mark.parametrize("below", [" ❯", " ❯  project"])
def test_a_cursor_that_the_cli_squeezed_out_of_its_row_is_read(below: str) -> None:
    shown = screen("2.1.85", "bash-60x20")
    rows = [row.replace(" ❯ 1. Yes", "   1. Yes") for row in shown.lines]
    at = next(at for at, row in enumerate(rows) if " 2. Yes" in row)
    rows[at : at + 2] = [rows[at].replace("2. ", "2.").removesuffix(" project"), below]
    form = asked(replace(shown, captured=tuple(rows)))
    assert form.selected
    assert form.selected.startswith("yes-and-always-allow-access")
    assert form.options[-1].label == "No"


def test_what_goes_on_below_a_squeezed_row_belongs_to_it() -> None:
    shown = screen("2.1.85", "bash-60x20")
    rows = [row.replace(" 2. Yes", " 2.Yes").removesuffix(" project") for row in shown.lines]
    at = next(at for at, row in enumerate(rows) if " 2.Yes" in row)
    rows[at + 1] = "    project"
    form = asked(replace(shown, captured=tuple(rows)))
    assert form.options == asked(shown).options


@pytest.mark.parametrize("version", VERSIONS)
def test_only_a_prompt_with_a_field_takes_the_reason_of_a_refusal(version: str) -> None:
    assert asked(screen(version, "bash-120x40")).takes_reason
    assert asked(screen(version, "bash_amend_filled-120x40")).takes_reason
    assert not asked(screen(version, "webfetch-120x40")).takes_reason


def test_a_prompt_of_a_subagent_says_whose_it_is() -> None:
    assert asked(screen("2.1.330", "subagent_bash-120x40")).origin == "general-purpose"
    assert asked(screen("2.1.330", "bash-120x40")).origin is None


def test_how_many_agents_ask_at_once_is_no_part_of_what_is_asked() -> None:
    alone, first, second = (
        asked(screen("2.1.330", f"two_agents_{name}-120x40"))
        for name in ("alone", "first", "second")
    )
    assert alone.position is None
    assert (first.title, first.position) == ("Bash command", Position(1, 2))
    assert (second.title, second.position) == ("Bash command", Position(2, 2))
    assert second.origin == "general-purpose"
    assert same_prompt(alone, first)
    assert not same_prompt(first, second)


# As 2.1.330 paints it at 60x15; the arrow comes a moment later.
LOW_PLAN = """  ⎿  /plan to preview
▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
   Ready to code?
  ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌{arrow}
  ────────────────────────────────────────────────────────

   Claude has written up a plan and is ready to execute.
   Would you like to proceed?

   ❯ 1. Yes, and use auto mode
     2. Yes, manually approve edits
     3. Tell Claude what to change
        shift+tab to approve with this feedback
   ctrl+g to edit in Vim ·
   ~/.claude/plans/please-do-number-3-keen-galaxy.md"""


def test_a_plan_that_a_low_pane_hides_is_one_prompt_while_it_is_painted() -> None:
    early, late = (
        asked(Screen.from_text(LOW_PLAN.replace("{arrow}", arrow), cols=60, rows=15))
        for arrow in ("", " ↓")
    )
    assert early.truncated
    assert same_prompt(early, late)


def sighting(rows: tuple[str, ...]) -> PromptSighting:
    shown = Screen(rows, 120, 60)
    return PromptSighting(asked(shown), shown)


@pytest.mark.parametrize("name", ["bash", "edit", "write", "webfetch", "read_outside"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_call_whose_entry_is_painted_after_its_prompt_is_the_same_prompt(
    version: str, name: str
) -> None:
    rows = screen(version, f"{name}-120x40").lines
    rule = max(at for at, row in enumerate(rows) if row.startswith("────"))
    start = max(at for at, row in enumerate(rows[: rule - 1]) if not row) + 1
    bare, whole = sighting((*rows[:start], *rows[rule:])), sighting(rows)
    assert bare.same(whole.form, whole.screen)
    assert not bare.answered(whole.form, whole.screen)


def test_a_stream_that_breaks_off_while_its_call_asks_leaves_the_same_prompt() -> None:
    names = ("bash_streaming-120x40", "bash_stream_broken-120x40")
    streaming, broken = (sighting(screen("2.1.332", name).captured) for name in names)
    assert streaming.same(broken.form, broken.screen)
    assert not streaming.answered(broken.form, broken.screen)


def test_the_entry_of_a_call_that_ran_means_that_the_next_one_asks() -> None:
    rows = screen("2.1.85", "bash-120x40").lines
    start = rows.index("● Bash(touch made.txt && echo done)")
    ran = (*rows[: start + 1], "  ⎿  done", "")
    rule = max(at for at, row in enumerate(rows) if row.startswith("────"))
    before, next_one = sighting(rows), sighting((*ran, *rows[start:]))
    assert before.answered(next_one.form, next_one.screen)
    half_painted = sighting((*ran, *rows[rule:]))
    assert before.answered(half_painted.form, half_painted.screen)


# As 2.1.332 draws labels that differ in their blanks only.
ALIKE = """
 ☐ Way

Which way?

❯ 1. "a b"
     About it
  2. "a  b"
     About it
  3. ab
     About it
  4. Type something.
RULE
  5. Chat about this

Enter to select · ↑/↓ to navigate · Esc to cancel"""


@pytest.mark.parametrize(("label", "digit"), [("a b", "1"), ("a  b", "2"), ("ab", "3")])
def test_an_option_that_is_drawn_otherwise_is_chosen_and_not_typed(label: str, digit: str) -> None:
    rule = "─" * 60
    shown = Screen(tuple(f"{rule}{ALIKE}".replace("RULE", rule).split("\n")), 60, 20)
    form = asked(shown)
    options = tuple(QuestionOption(each) for each in ("a b", "a  b", "ab"))
    known = replace(form, questions=(replace(form.questions[0], options=options),))
    chosen = claude.respond(known, Response("r", answers={"0": label}), shown, None)
    assert keys(chosen) == [digit]
    typed = claude.respond(known, Response("r", answers={"0": "a c"}), shown, None)
    assert keys(typed) == ["Down"]


@pytest.mark.parametrize("diff", [(), ("╌" * 60, "  1 -print(1)", "  1 +print(2)", "╌" * 60)])
def test_the_edit_of_a_notebook_is_a_prompt_once_it_shows_what_it_changes(diff) -> None:
    about = (" /proj/n.ipynb", " Replace cell contents for cell c1") if diff else ()
    asks = " Do you want to make this edit to n.ipynb?"
    options = (" ❯ 1. Yes", "   2. Yes, all edits (shift+tab)", "   3. No")
    rows = ("─" * 60, " Edit notebook", *about, *diff, asks, *options, "", " Esc to cancel")
    form = claude.detect_prompt(Screen(rows, 60, 20))
    assert bool(form) == bool(diff)
    if form:
        assert form.tool_name == "NotebookEdit"
        assert "print(2)" in form.description


HINT = "\x1b[7m\x1b[39mT\x1b[0;2m\x1b[39m\x1b[49mype something.\x1b[0m\x1b[39m\x1b[49m"
TYPED = "\x1b[39mType something.\x1b[7m \x1b[0m\x1b[39m\x1b[49m"


@pytest.mark.parametrize(
    ("drawn", "pressed"), [(HINT, ["Type something."]), (TYPED, ["Enter"])], ids=["hint", "typed"]
)
def test_words_that_read_like_the_hint_of_the_field_are_an_answer(
    drawn: str, pressed: list[str]
) -> None:
    rule = "─" * 60
    block = ALIKE.replace("❯ 1.", "  1.").replace("RULE", rule)
    row = f"\x1b[38;5;153m❯\x1b[39m \x1b[38;5;246m4. {drawn}"
    rows = f"{rule}{block}".replace("  4. Type something.", row).split("\n")
    shown = Screen(tuple(rows), 60, 20)
    form = asked(shown)
    assert form.questions[0].other
    answer = Response("r", answers={"0": "Type something."})
    assert keys(claude.respond(form, answer, shown, None)) == pressed


@pytest.mark.parametrize(
    ("written", "pressed"), [("too wide", "BSpace"), ("Add notes on this design…", "Enter")]
)
@pytest.mark.parametrize("decision", [None, "deny"])
def test_notes_that_the_desk_writes_are_left_before_anything_else(
    written: str, pressed: str, decision: str | None
) -> None:
    plain = screen("2.1.330", "ask_preview-120x40")
    footer = ("to add notes · ", "to add notes · ctrl+g to edit in Vim · ")
    rows = (row.replace("press n to add notes", written).replace(*footer) for row in plain.lines)
    open_notes = replace(plain, captured=tuple(rows))
    form = asked(plain)
    assert asked(open_notes).subject == form.subject
    answers = {} if decision else {"0": form.questions[0].options[1].label}
    steps = claude.respond(
        form, Response("r", answers=answers, decision=decision), open_notes, None
    )
    assert pressed in keys(steps)
    assert steps
    # Right after a Backspace the Enter that leaves the notes can get lost.
    assert pressed != "Enter" or isinstance(steps.steps[-2], Pause)
    assert steps.deciding is None


def test_a_command_outside_the_sandbox_is_a_command_and_says_so() -> None:
    form = asked(screen("2.1.332", "bash_unsandboxed-120x40"))
    assert (form.tool_name, form.tool_input) == (
        "Bash",
        {"command": "touch out-of-it.txt", "description": "Makes a file"},
    )
    assert "Bash command (unsandboxed)" in form.description.split("\n")
