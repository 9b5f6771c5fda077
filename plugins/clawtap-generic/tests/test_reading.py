"""What stands on the last line, and what only looks as if it asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawtap_generic import control, detect_prompt, detect_state, respond
from clawtap_generic.screen import read_prompt

from clawtap_core import Interrupt, Kind, Press, Response, Screen, SessionState, Steps, Type
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.testing.recordings import Recording

RECORDINGS = Path(__file__).with_name("recordings")


def at_the_end(*rows: str, gap: int = 1, cols: int = 60) -> Screen:
    """The cursor waits after the last row."""
    cursor = (len(rows[-1]) + gap, len(rows) - 1)
    return Screen((*rows, "", ""), cols, 24, cursor=cursor, cursor_visible=True)


@pytest.mark.parametrize(
    ("row", "title", "labels", "typed"),
    [
        ("Continue? [y/N]", "Continue?", "Yes No", "y n"),
        ("Continue [Y/n]?", "Continue", "Yes No", "y n"),
        ("Do you want to continue? [Y/n]", "Do you want to continue?", "Yes No", "y n"),
        ("Overwrite a.txt? (y/n):", "Overwrite a.txt?", "Yes No", "y n"),
        ("Proceed ([y]/n)?", "Proceed", "Yes No", "y n"),
        ("Replace b? [y/n/a/q]", "Replace b?", "Yes No All Quit", "y n a q"),
        ("Are you sure (yes/no)?", "Are you sure", "Yes No", "yes no"),
        ("Connect (yes/no/[fingerprint])?", "Connect", "Yes No Fingerprint", "yes no fingerprint"),
        ("Add it? (Y)es/(N)o [Yes]:", "Add it?", "Yes No", "y n"),
        ("Run it? (Y)es/(N)o/(D)on't [Yes]:", "Run it?", "Yes No Don't", "y n d"),
        ("? Delete it? (y/N)", "Delete it?", "Yes No", "y n"),
    ],
)
def test_yes_or_no_is_read_in_many_forms(row: str, title: str, labels: str, typed: str) -> None:
    asked = read_prompt(at_the_end(row))
    assert asked
    assert (asked.form.kind, asked.form.title) == (Kind.PERMISSION, title)
    assert " ".join(label for label, _ in asked.words) == labels
    assert " ".join(word for _, word in asked.words) == typed
    assert [option.effect.value for option in asked.form.options[:2]] == ["allow_once", "deny"]


@pytest.mark.parametrize(
    "rows",
    [
        ("1) one", "2) two", "#?"),
        (" 1. one", " 2. two", "", "Your choice:"),
        ("[1] one", "[2] two", "Select an option >"),
        ("  1: one", "  2: two", "Which one?"),
    ],
)
def test_a_list_counted_from_1_above_the_cursor_is_read(rows: tuple[str, ...]) -> None:
    screen = at_the_end("Pick a number", *rows)
    asked = read_prompt(screen)
    assert asked
    assert [option.label for option in asked.form.questions[0].options] == ["one", "two"]
    assert asked.words == (("one", "1"), ("two", "2"))
    steps = respond(asked.form, Response("r", answers={"0": "two"}), screen, None)
    assert steps
    assert steps.steps == (Type("2"),)


@pytest.mark.parametrize(
    "screen",
    [
        Screen(("Continue? [y/N]", ""), 60, 24, cursor=(0, 1), cursor_visible=True),
        Screen(("Continue? [y/N]", "", "more"), 60, 24, cursor=(16, 0), cursor_visible=True),
        Screen(("Continue? [y/N]",), 60, 24, cursor=(16, 0), cursor_visible=False),
        Screen(("Continue? [y/N]",), 60, 24),
        at_the_end("Continue? [y/N] y"),
        at_the_end("Name: Ann"),
        at_the_end("done 3/4"),
        at_the_end("2. two", "3. three", "Which"),
        at_the_end(""),
        Screen(("",), 60, 24, cursor=(0, 99), cursor_visible=True),
    ],
)
def test_what_does_not_wait_at_the_cursor_is_no_prompt(screen: Screen) -> None:
    assert detect_prompt(screen) is None


def test_a_question_that_wraps_is_read_whole() -> None:
    screen = at_the_end("Do you really want to r", "emove everything? [y/N]", cols=23, gap=0)
    form = detect_prompt(screen)
    assert form
    assert form.title == "Do you really want to remove everything?"


def test_a_rule_above_belongs_to_no_line() -> None:
    form = detect_prompt(at_the_end("─" * 30, "Continue? [y/N]", cols=30))
    assert form
    assert form.title == "Continue?"


@pytest.mark.parametrize("above", ["─" * 20, "x" * 20])
def test_a_composer_may_stand_below_a_full_row(above: str) -> None:
    seen = detect_state(at_the_end(above, ">", cols=20))
    assert seen
    assert seen.state is SessionState.IDLE


def test_a_long_draft_of_aider_is_read_whole() -> None:
    seen = detect_state(Recording.load(RECORDINGS / "aider-long-draft.ansi").screen)
    assert seen
    assert (seen.draft or "").replace(" ", "") == "hello" + "there" * 30


@pytest.mark.parametrize(
    ("row", "draft"),
    [(">", ""), ("ask> fix it", "fix it"), (">>>", ""), ("❯ hello", "hello")],
)
def test_a_mark_at_the_beginning_is_a_composer(row: str, draft: str) -> None:
    seen = detect_state(at_the_end(row))
    assert seen
    assert (seen.state, seen.draft) == (SessionState.IDLE, draft)


@pytest.mark.parametrize(
    "name",
    [
        "fzf-hidden",
        "fzf-inline",
        "fzf-reverse",
        "fzf-reverse-query",
        "git-commit-vim",
        "inquirerpy-fuzzy",
        "simple-term-menu",
    ],
)
def test_a_finder_a_menu_and_an_editor_are_no_place_for_messages_nor_at_work(name: str) -> None:
    screen = Recording.load(RECORDINGS / f"{name}.ansi").screen
    assert detect_prompt(screen) is None
    assert detect_state(screen) is None


@pytest.mark.parametrize("name", ["select-columns", "git-clean"])
def test_what_a_list_of_several_columns_calls_6_is_answered_with_6(name: str) -> None:
    screen = Recording.load(RECORDINGS / f"{name}.ansi").screen
    asked = read_prompt(screen)
    assert asked
    sixth = asked.form.questions[0].options[5].label
    assert sixth == {"select-columns": "f", "git-clean": "help"}[name]
    assert asked.word(sixth) == "6"


@pytest.mark.parametrize("rows", [("1) a    4) b", "2) c"), ("1) a    1) b", "2) c")])
def test_a_list_that_is_not_counted_to_its_end_offers_nothing(rows: tuple[str, ...]) -> None:
    form = detect_prompt(at_the_end(*rows, "Which one?"))
    assert form
    assert not form.questions[0].options


def test_a_spinner_in_the_middle_of_a_line_works() -> None:
    assert detect_prompt(at_the_end("⠙ Building:")) is None
    seen = detect_state(Recording.load(RECORDINGS / "npx-spinner.ansi").screen)
    assert seen
    assert seen.state is SessionState.BUSY


def test_a_list_that_appears_below_the_answer_gets_no_enter_and_the_answer_is_taken_out() -> None:
    typed = Recording.load(RECORDINGS / "questionary-path-typed.ansi").screen
    asked = Screen((typed.captured[0].replace("progs", ""), ""), cursor=(14, 0))
    form = detect_prompt(asked)
    assert form
    response = Response("r", answers={"0": "progs"})
    steps = respond(form, response, asked, None)
    for _ in range(4):
        assert steps
        steps = respond(form, response, typed, steps.progress)
    assert steps
    assert steps.steps == (Press("BSpace"),) * 5


def test_after_whole_lines_a_program_works_and_in_the_middle_of_one_nobody_knows() -> None:
    working = Screen(("Building", ""), 60, 24, cursor=(0, 1), cursor_visible=True)
    seen = detect_state(working)
    assert seen
    assert seen.state is SessionState.BUSY
    assert control(Interrupt(), working) == Steps((Press("C-c", deciding=True),), done=True)
    assert detect_state(at_the_end("Press any key...")) is None
    assert control(Interrupt(), at_the_end("Press any key...")) is None
    menu = Screen(("? Pick", "❯ one", "  two"), 60, 24, cursor=(0, 3), cursor_visible=False)
    assert detect_state(menu) is None
    finder = at_the_end("  b", "> a", "  2/2 ────────", ">")
    assert detect_state(finder) is None
    asking = at_the_end("  b", "> a", "  2/2 ────────", "Delete? [y/N]")
    assert (detect_prompt(asking), detect_state(asking)) == (None, None)


@pytest.mark.parametrize(
    ("rows", "takes_keys", "busy"),
    [
        (("◆  Delete all files?", "│  ● Yes / ○ No", "└"), True, False),
        (("? Token [input is masked]", "ctrl+t toggle visibility"), True, False),
        (("│", "◒  Installing"), True, True),
        (("⠙ Installing",), True, True),
        (("Downloading 40%",), None, True),
    ],
)
def test_a_program_that_hides_the_cursor_waits_if_it_takes_keys_and_no_spinner_turns(
    rows: tuple[str, ...], takes_keys: bool | None, busy: bool
) -> None:
    at = (0, len(rows))
    screen = Screen(rows, 60, 24, cursor=at, cursor_visible=False, takes_keys=takes_keys)
    seen = detect_state(screen)
    assert (seen.state if seen else None) is (SessionState.BUSY if busy else None)


def test_enter_follows_only_where_the_answer_stands_on_the_line() -> None:
    asked = at_the_end("Continue? [y/N]")
    form = detect_prompt(asked)
    assert form
    yes = Response("r", selected_option="yes")
    first = respond(form, yes, asked, None)
    assert first
    assert (first.steps, first.spans) == ((Type("y"),), True)
    waits = respond(form, yes, asked, first.progress)
    assert waits
    assert (waits.steps, waits.done) == ((), False)
    shown = respond(form, yes, at_the_end("Continue? [y/N] y", gap=0), first.progress)
    assert shown
    assert shown.steps[-1] == Press("Enter", deciding=True)
    left = at_the_end("Continue? [y/N] y", "Next? [y/N]")
    steps = respond(form, yes, left, shown.progress)
    assert steps
    assert (steps.steps, steps.done) == ((), True)


def test_an_answer_that_is_painted_over_before_enter_is_taken_out() -> None:
    asked = at_the_end("Continue? [y/N]")
    form = detect_prompt(asked)
    assert form
    yes = Response("r", selected_option="yes")
    steps = respond(form, yes, asked, None)
    over = Screen(("Continue? [y/N] y", "a log", ""), 60, 24, cursor=(0, 2), cursor_visible=True)
    for _ in range(4):
        assert steps
        assert not steps.done
        steps = respond(form, yes, over, steps.progress)
    assert steps
    assert steps.steps == (Press("BSpace"),)


@pytest.mark.parametrize("above", [("file b",), ("file a", "Delete it? [y/N] n", "file b")])
def test_what_is_above_tells_two_equal_questions_apart(above: tuple[str, ...]) -> None:
    first = detect_prompt(at_the_end("file a", "Delete it? [y/N]"))
    second = detect_prompt(at_the_end(*above, "Delete it? [y/N]"))
    assert first
    assert second
    assert not same_prompt(first, second)


def test_a_question_stays_the_same_in_a_pane_of_another_size() -> None:
    rows = [f"a row of letters, number {number}" for number in range(20)]
    whole = detect_prompt(at_the_end(*rows, "Go on? [y/N]"))
    low = detect_prompt(at_the_end(*rows[10:], "Go on? [y/N]"))
    halves = [half for row in rows for half in (row[:14], row[14:])]
    narrow = detect_prompt(at_the_end(*halves, "Go on? [y/N]", cols=14))
    assert whole
    assert low
    assert narrow
    assert same_prompt(whole, low)
    assert same_prompt(whole, narrow)


def test_an_answer_that_is_half_painted_is_waited_for() -> None:
    asked = at_the_end("Your name:")
    form = detect_prompt(asked)
    assert form
    answer = Response("r", answers={"0": "Ann"})
    typed = respond(form, answer, asked, None)
    assert typed
    half = respond(form, answer, at_the_end("Your name: An", gap=0), typed.progress)
    assert half
    assert (half.steps, half.done) == ((), False)


def test_a_word_is_typed_as_text() -> None:
    asked = at_the_end("Are you sure (yes/no)?")
    form = detect_prompt(asked)
    assert form
    steps = respond(form, Response("r", selected_option="no"), asked, None)
    assert steps
    assert steps.steps == (Type("no"),)
