"""What real CLIs report of a prompt, shown once and readable."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from clawtap_core.model import Kind, Prompt, PromptForm, Question, QuestionOption
from webui.viewmodels.prompt_body import blocks
from webui.viewmodels.prompt_card import card

EDIT = {"file_path": "/p/a.py", "old_string": "x = 1\ny = 2", "new_string": "x = 3\ny = 2"}
PLAN = "# Move it\n\n| step | takes |\n|---|---|\n| copy | a day |"
DRAWN_PLAN = """Move it

┌──────┬───────┐
│ step │ takes │
├──────┼───────┤
│ copy │ a day │
└──────┴───────┘"""

RULED_PLAN = """Move it

 step    takes
━━━━━━  ━━━━━━━
 copy    a day
──────  ───────
 switch  an hour, or
         two"""


def _permission(description: str, tool_input: dict[str, object] | None = None) -> PromptForm:
    return PromptForm(
        Kind.PERMISSION, "Edit file", description, tool_name="Edit", tool_input=tool_input
    )


@pytest.mark.parametrize(
    "drawn",
    [
        "/p/a.py\n-x = 1\n+x = 3\n y = 2\n around = it",
        "  1 - x = 1\n  1 + x = 3\n  2   y = 2\n  3   around = it",
        "  1 x = 3\n  2\n  3 y = 2",
        "x = 3\ny = 2",
    ],
)
def test_a_change_that_the_cli_also_draws_is_shown_once(drawn: str) -> None:
    assert [block.kind for block in blocks(_permission(drawn, EDIT))] == ["diff"]


def test_signs_within_a_path_or_a_line_of_the_change_draw_nothing() -> None:
    edit = {"file_path": "/my-app/a.py", "old_string": "x = a - b", "new_string": "x = 1 + b"}
    drawn = "/my-app/a.py\n-x = a - b\n+x = 1 + b"
    assert [block.kind for block in blocks(_permission(drawn, edit))] == ["diff"]


def test_what_the_cli_says_next_to_the_change_stays() -> None:
    drawn = "-x = 1\n+x = 3\n y = 2\nThis file is watched by a build"
    first, second = blocks(_permission(drawn, EDIT))
    assert (first.text, second.kind) == ("This file is watched by a build", "diff")


def test_a_description_that_draws_no_change_is_shown_whole() -> None:
    text = "Please read this first:\n- it is about x = 1\nand more"
    assert blocks(_permission(text, EDIT))[0].text == text


def test_a_new_file_that_is_known_from_the_screen_only_is_a_change() -> None:
    (block,) = blocks(_permission("Writing to src/taxes.py\n 1 import os\n 2\n 3 x = 1"))
    assert block.change
    assert (block.change.path, block.change.added, block.change.removed) == ("src/taxes.py", 3, 0)


def test_a_file_is_named_by_its_name_alone() -> None:
    (block,) = blocks(_permission("prices.py: a = 1... => a = 2...\n1 - a = 1\n1 + a = 2"))
    assert block.change
    assert block.change.path == "prices.py"


def test_the_question_to_allow_a_command_is_left_to_the_buttons() -> None:
    text = "rm build\nRemove it\nDo you want to proceed?"
    code, about = blocks(_permission(text, {"command": "rm build"}))
    assert (code.text, about.text) == ("rm build", "Remove it")


def test_what_heads_a_patch_or_a_command_is_not_left_over() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 3\n*** End Patch"
    assert [block.kind for block in blocks(_permission(patch, {"command": patch}))] == ["diff"]
    code, about = blocks(_permission("Reason: why not\n$ rm build", {"command": "rm build"}))
    assert (code.text, about.text) == ("rm build", "Reason: why not")


@pytest.mark.parametrize("question", ["", "\n\nIt is ready. Would you like to proceed?"])
def test_a_plan_is_shown_as_it_was_written(question: str) -> None:
    form = PromptForm(Kind.PLAN, "Ready?", DRAWN_PLAN + question, tool_input={"plan": PLAN})
    (block,) = blocks(form)
    assert block.text == PLAN
    (edited,) = blocks(replace(form, description=DRAWN_PLAN + "\n\nAnd something new"))
    assert "something new" in edited.text


@pytest.mark.parametrize("drawn", [DRAWN_PLAN, RULED_PLAN], ids=["boxes", "rules"])
def test_a_plan_that_is_known_from_the_screen_only_has_its_table(drawn: str) -> None:
    (block,) = blocks(PromptForm(Kind.PLAN, "Ready?", drawn))
    assert "<td>copy</td>" in block.html


def test_several_questions_are_titled_by_their_number_whatever_the_first_is_called() -> None:
    questions = tuple(
        Question(f"Which {each}?", "Choice", (QuestionOption("A"),)) for each in ("one", "two")
    )
    for title in ("Choice", "Which one?", ""):
        form = PromptForm(Kind.QUESTION, title, questions=questions)
        now = datetime(2026, 11, 22, tzinfo=timezone.utc)
        assert card(Prompt("r1", "s1", "terminal", form, now)).title == "2 questions"
