"""Forms of MCP servers that are longer than the screen, and long words in their fields."""

from __future__ import annotations

import clawtap_claude as claude
import pytest

from clawtap_core import Press, PromptForm, Response, Screen, Steps, Type
from clawtap_core.prompts.identity import same_prompt

TITLE = ("─" * 80, "  MCP server “lab” requests your input", "", "  Please say it all", "")
COUNT = ("      Count: not set", "")
UNFOLDED = ("  ❯   Colour: ▾", "        ❯ ◯ red", "          ◯ blue", "")
BUTTONS = ("    Accept    Decline", "", "  Esc to cancel · ↑/↓ to navigate")
WORDS = "Ann and Bob and Carl and Dora and Emil and Fritz"


def form(*fields: str) -> Screen:
    return Screen((*TITLE, *fields, *BUTTONS), 80, 24)


def read(screen: Screen) -> PromptForm:
    """The form on a screen."""
    found = claude.detect_prompt(screen)
    assert found
    return found


def named(value: str) -> Screen:
    return form(f"  ❯ ✔ Name: {value}", "", *COUNT)


def keys(steps: Steps | None) -> list[str]:
    assert steps
    found = (step for step in steps.steps if isinstance(step, Press | Type))
    return [step.key if isinstance(step, Press) else step.text for step in found]


def test_a_form_stays_the_same_while_a_list_pushes_fields_out_of_sight() -> None:
    whole = read(named("Ann"))
    cut = read(form("    ↑ 1 more", *COUNT, *UNFOLDED, "    ↓ 2 more"))
    assert same_prompt(whole, cut)
    assert (whole.truncated, cut.truncated, cut.more_options) == (False, True, True)
    assert [question.question for question in cut.questions] == ["Count", "Colour"]


@pytest.mark.parametrize(("below", "pressed"), [("    ↓ 1 more", ["Down"]), ("", None)])
def test_a_form_is_not_accepted_before_its_hidden_fields_are_filled_in(
    below: str, pressed: list[str] | None
) -> None:
    asked = read(form("  ❯   Name: not set", "", *COUNT))
    scrolled = form("  ❯   Mail: not set", "", below)
    steps = claude.respond(asked, Response("r", answers={"1": "3"}), scrolled, None)
    assert (keys(steps) if steps else None) == pressed


def test_the_end_of_what_the_desk_wrote_is_no_answer() -> None:
    shown = named(WORDS)
    asked = read(shown)
    answer = Response("r", answers={"0": f"{'word ' * 20}{WORDS}"})
    assert keys(claude.respond(asked, answer, shown, None))[:2] == ["End", "BSpace"]


def test_of_words_that_are_longer_than_the_row_the_last_ones_are_seen() -> None:
    words, empty = f"{'word ' * 20}at last", form("  ❯   Name: not set", "", *COUNT)
    asked = read(empty)
    answer = Response("r", answers={"0": words})
    typed = claude.respond(asked, answer, empty, None)
    assert keys(typed) == [words]
    assert typed
    assert keys(claude.respond(asked, answer, named("at last"), typed.progress)) == ["Down"]


def test_words_that_an_older_version_wraps_are_read_whole() -> None:
    rows = (f"  ❯ ✔ Name: {'word ' * 9}", "            and the last ones", "", *COUNT)
    asked = read(form(*rows))
    assert asked.questions[0].placeholder == f"{'word ' * 9}and the last ones"
    assert [question.header for question in asked.questions] == ["Name", "Count"]


def test_the_row_of_a_field_that_an_older_version_squeezes_is_a_field() -> None:
    squeezed = (f"   ✔  Nam: {'word ' * 12}", "           and the last ones", "")
    whole = read(named("Ann"))
    asked = read(form(*squeezed, "  ❯   Count: Type something…", ""))
    assert same_prompt(whole, asked)
    assert len(asked.questions) == 2


def test_two_fields_of_one_name_are_told_apart_by_their_place() -> None:
    shown = form("  ❯   Name: not set", "        Of the first", "      Name: not set", "")
    asked = read(shown)
    answer = Response("r", answers={"1": "Bob"})
    steps = claude.respond(asked, answer, shown, None)
    assert keys(steps) == ["Down"]
    assert steps
    below = form("      Name: not set", "        Of the first", "  ❯   Name: Type something…", "")
    assert keys(claude.respond(asked, answer, below, steps.progress)) == ["Bob"]


def test_a_value_that_the_form_does_not_take_is_erased_and_refused() -> None:
    empty = form("  ❯   Count: Type something…", "")
    asked = read(empty)
    answer = Response("r", answers={"0": "many"})
    typed = claude.respond(asked, answer, empty, None)
    assert keys(typed) == ["many"]
    assert typed
    wrong = form("  ❯ ⚠ Count: many", "        Must be an integer", "")
    erased = claude.respond(asked, answer, wrong, typed.progress)
    assert keys(erased)[:2] == ["End", "BSpace"]
    assert erased
    last = claude.respond(asked, answer, empty, erased.progress)
    assert last
    assert last.refused == "'many' is no value for Count: Must be an integer"


def test_several_entries_of_a_list_are_ticked() -> None:
    rows = ("  ❯   Tags: ▾", "        ❯ ☒ new", "          ☐ old", "          ☐ odd", "")
    asked = read(form(*rows))
    assert asked.questions[0].multi_select
    for answers in (("old",), "old"):
        steps = claude.respond(asked, Response("r", answers={"0": answers}), form(*rows), None)
        assert keys(steps) == ["Space"]
    steps = claude.respond(asked, Response("r", answers={"0": ("new",)}), form(*rows), None)
    assert keys(steps) == ["Enter"]
    steps = claude.respond(asked, Response("r", answers={"0": "blue"}), form(*rows), None)
    assert keys(steps) == ["Left"]
    assert steps
    assert steps.refused == "'blue' is not offered for Tags (offered: new, old, odd)"


@pytest.mark.parametrize("name", ["z", "Town", "Colours"])
def test_a_list_is_looked_through_until_the_answer_is_in_sight(name: str) -> None:
    rows = ("          ◯ red", "        ❯ ◯ blue")
    begins = form(f"  ❯   {name}: ▾", *rows, "            ↓ 1 more", "")
    ends = form(f"  ❯   {name}: ▾", "            ↑ 1 more", *rows[1:], "          ◯ odd", "")
    asked = read(begins)
    assert (asked.more_options, asked.truncated) == (True, False)
    assert [option.label for option in asked.questions[0].options] == ["red", "blue"]
    answer = Response("r", answers={"0": "odd"})
    first = claude.respond(asked, answer, begins, None)
    assert keys(first) == ["Down"]
    assert first
    assert keys(claude.respond(asked, answer, ends, first.progress)) == ["Down"]
    answer = Response("r", answers={"0": "pink"})
    last = claude.respond(asked, answer, ends, first.progress)
    assert last
    assert last.refused == f"'pink' is not offered for {name} (offered: red, blue, odd)"
