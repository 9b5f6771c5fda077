"""Screens that a few rows show best: what they ask, and what is pressed there."""

from __future__ import annotations

import clawtap_claude as claude
import pytest

from clawtap_core import Press, PromptForm, Response, Screen


def asked(shown: Screen) -> PromptForm:
    form = claude.detect_prompt(shown)
    assert form is not None
    return form


# As 2.1.332 draws answers that are named like a row of its own, or begin like a box.
NAMED_ALIKE = """
←  ☐ Way  ✔ Submit  →

Which way?

❯ 1. [ ] Chat about this
         About it
  2. [ ] Plain
         About it
  3. [ ] Type something
     Submit
RULE
  4. Chat about this

Enter to select · ↑/↓ to navigate · Esc to cancel"""
BOXES = """
 ☐ Way

Which way?

❯ 1. [ ] Alpha
     About it
  2. [x] Beta
     About it
  3. Type something.
RULE
  4. Chat about this

Enter to select · ↑/↓ to navigate · Esc to cancel"""


@pytest.mark.parametrize(
    ("drawn", "label", "key"),
    [
        (NAMED_ALIKE, "Chat about this", "1"),
        (NAMED_ALIKE, "4. Chat about this", "Down"),
        (BOXES, "[ ] Alpha", "1"),
        (BOXES, "[x] Beta", "2"),
        (BOXES, "Chat about this", "Down"),
    ],
)
def test_an_option_may_be_named_like_a_row_of_the_cli(drawn: str, label: str, key: str) -> None:
    rule = "─" * 60
    shown = Screen(tuple(f"{rule}{drawn}".replace("RULE", rule).split("\n")), 60, 20)
    offered = [option.label for option in asked(shown).questions[0].options]
    assert len(set(offered)) == len(offered) == 3
    steps = claude.respond(asked(shown), Response("r", answers={"0": label}), shown, None)
    assert steps
    assert [step.key for step in steps.steps if isinstance(step, Press)] == [key]


# As 2.1.332 draws a command in 80 columns.
TIP = """
 Bash command
 Tip: auto mode handles these prompts for you — choose "switch to auto mode"
 below
 Runs it
DOTS
 │ touch a.txt
DOTS
 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and switch to auto mode · auto mode handles these prompts for you
   3. No

 Esc to cancel · Tab to amend"""


@pytest.mark.parametrize("head", ["Runs it", '"Runs" it\n and more', ""])
def test_a_tip_of_two_rows_is_no_part_of_what_is_asked(head: str) -> None:
    drawn = TIP.replace("DOTS", "╌" * 80).replace(" Runs it\n", f" {head}\n" if head else "")
    form = asked(Screen(tuple(f"{'─' * 80}{drawn}".split("\n")), 80, 24))
    about = head.replace("\n ", "\n")
    expected = ["touch a.txt", *([about] if about else []), "Do you want to proceed?"]
    assert form.description == "\n".join(expected)


# As 2.1.332 draws a plan of 30 steps in 24 rows.
SCROLLED_PLAN = """
   Ready to code?
  DOTS
   The plan

   1. Do step number 1
   2. Do step number 2
  RULE
   Claude has written up a plan and is ready to execute. Would you like to
   proceed?
   ❯ 1. Yes, and use auto mode
     2. Yes, manually approve edits
     3. Tell Claude what to change
        shift+tab to approve with this feedback

   ctrl+g to edit in Vim · ~/.claude/plans/please-do-number-83-binary-pike.md"""


@pytest.mark.parametrize(("mark", "cut"), [("  ↓", True), ("", False)])
def test_a_plan_whose_mark_is_in_the_footer_is_not_taken_for_a_whole_one(
    mark: str, cut: bool
) -> None:
    drawn = SCROLLED_PLAN.replace("DOTS", "╌" * 76).replace("RULE", "─" * 76)
    form = asked(Screen(tuple(f"{'▔' * 80}{drawn}{mark}".split("\n")), 80, 24))
    assert (form.kind.value, form.truncated) == ("plan", cut)
