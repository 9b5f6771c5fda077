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


def test_rows_of_a_command_are_no_change_of_a_file() -> None:
    command = "touch x && echo '❯ 1. Yes\n  2 No'"
    assert [block.kind for block in blocks(_permission(command, {"command": command}))] == ["code"]


IN_THE_MIDDLE = """148  v147 = 147
149  v148 = 148
150  v149 = 149
151 -v150 = 150
151 +v150 = 151
152  v151 = 151
src/deep/mod.py
Do you want to make this edit to mod.py?"""
ONE_LINE = {
    "file_path": "/p/src/deep/mod.py",
    "old_string": "v150 = 150",
    "new_string": "v150 = 151",
}


def test_lines_around_a_small_change_are_not_shown_as_text() -> None:
    said, change = blocks(_permission(IN_THE_MIDDLE, ONE_LINE))
    assert (said.text, change.kind) == ("Do you want to make this edit to mod.py?", "diff")


@pytest.mark.parametrize(
    ("drawn", "numbers"),
    [
        (IN_THE_MIDDLE, ["151", "151"]),
        (IN_THE_MIDDLE.replace(" -", " - "), ["151", "151"]),
        ("Do you want to make this edit to mod.py?", ["", ""]),
    ],
    ids=["tight", "loose", "not drawn"],
)
def test_a_piece_of_a_file_has_the_numbers_of_the_file_or_none(
    drawn: str, numbers: list[str]
) -> None:
    change = blocks(_permission(drawn, ONE_LINE))[-1].change
    assert change
    assert [line.number for line in change.lines if line.kind != "hunk"] == numbers


def test_a_cell_of_a_notebook_is_compared_with_what_the_cli_draws_of_it() -> None:
    cell = {"notebook_path": "/p/n.ipynb", "cell_id": "c1", "new_source": "print(2)\n# more"}
    drawn = " 1 -print(1)\n 1 +print(2)\n 2 +# more\nDo you want to make this edit to n.ipynb?"
    change = blocks(_permission(drawn, cell))[-1].change
    assert change
    assert (change.added, change.removed) == (2, 1)


def test_a_name_that_the_cli_cuts_is_not_said_again() -> None:
    name = "a_very_long_name_" * 11 + ".py"
    drawn = f" 1 x = 1\n…{name[30:]}\nDo you want to create {name}?"
    said, change = blocks(_permission(drawn, {"file_path": f"/p/{name}", "content": "x = 1\n"}))
    assert (said.text, change.kind) == (f"Do you want to create {name}?", "diff")


@pytest.mark.parametrize(
    ("tool", "tool_input", "drawn", "rest"),
    [
        (
            "WebFetch",
            {"url": "https://example.com/a?b=c", "prompt": "Sum it up"},
            "url: https://example.com/a?b=c\nprompt: Sum it up\n"
            "Claude wants to fetch content from example.com\n"
            "Do you want to allow Claude to fetch this content?",
            "Claude wants to fetch content from example.com",
        ),
        ("mcp__lab__delete", {"id": "a b"}, 'id: "a b"\nDo you want to proceed?', ""),
        ("lab.delete", {"id": "n1", "deep": {"a": 1}}, "id: n1", ""),
        ("Read", {"file_path": "/etc/x"}, "Read(/etc/x)\nDo you want to proceed?", ""),
    ],
)
def test_what_the_fields_say_is_not_said_in_the_words_of_the_call(
    tool: str, tool_input: dict[str, object], drawn: str, rest: str
) -> None:
    form = replace(_permission(drawn, tool_input), tool_name=tool)
    shown = blocks(form)
    assert [block.text for block in shown if block.kind != "fields"] == [rest] * bool(rest)
    assert [block.kind for block in shown][-1] == "fields"


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


def test_what_a_call_says_in_its_only_input_is_shown() -> None:
    # Codex without a terminal asks so about what is typed into a program that runs.
    (fields,) = blocks(_permission("rm -rf build", {"input": "rm -rf build"}))
    assert fields.fields == (("Input", "rm -rf build"),)


CHANGES = (
    "*** Update File: a.py\n@@\n-x = 1\n+x = 3",
    "*** Delete File: orders.db",
    "*** Update File: old.py\n*** Move to: /srv/new.py",
    "*** Add File: empty.txt",
)
PATCH = "\n".join(("*** Begin Patch", *CHANGES, "*** End Patch"))


@pytest.mark.parametrize("key", ["input", "command"])
def test_a_patch_shows_the_files_that_it_deletes_moves_and_leaves_empty(key: str) -> None:
    drawn = "• Edited 4 files (+1 -8)\n  └ a.py (+1 -1)\n    1 -x = 1\n    1 +x = 3\n    2  y = 2"
    shown = blocks(_permission(drawn, {key: PATCH}))
    changes = [block.change for block in shown if block.change]
    assert [change.path for change in changes] == ["a.py", "orders.db", "old.py", "empty.txt"]
    words = [" ".join(line.text for line in change.lines) for change in changes[1:]]
    assert words == [
        "This file is deleted",
        "This file is moved to /srv/new.py",
        "This file is empty",
    ]


def test_a_listed_deletion_says_so_even_where_the_file_was_empty() -> None:
    listed = [
        {"path": path, "kind": {"type": kind}, "diff": ""}
        for path, kind in (("gone.txt", "delete"), ("new.txt", "add"))
    ]
    shown = blocks(_permission("", {"changes": listed}))
    changes = [block.change for block in shown if block.change]
    assert [[line.text for line in change.lines] for change in changes] == [
        ["This file is deleted"],
        ["This file is empty"],
    ]


@pytest.mark.parametrize(
    "command",
    [
        f" rm -rf /srv\n: <<'END'\n{PATCH}\nEND",
        f"{PATCH}\nrm -rf /srv",
        f"apply_patch <<'EOF'\n{PATCH}\nEOF\n rm -rf /srv",
        f"apply_patch; rm -rf /srv <<'EOF'\n{PATCH}\nEOF",
        "*** Begin Patch\n rm -rf /srv\n*** Update File: a.py\n@@\n-x = 1\n+x = 3\n*** End Patch",
    ],
)
def test_a_command_that_holds_a_patch_hides_nothing_else_that_runs(command: str) -> None:
    assert "rm -rf /srv" in "\n".join(
        block.text for block in blocks(_permission("", {"command": command}))
    )


def test_a_command_that_only_applies_a_patch_is_shown_as_its_changes() -> None:
    command = f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"
    assert {block.kind for block in blocks(_permission("", {"command": command}))} == {"diff"}


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


@pytest.mark.parametrize(
    ("tool", "tool_input", "drawn", "subject"),
    [
        ("mcp__lab__delete", {"id": "a b"}, 'id: "a b"\nlab tool', ("delete", True)),
        ("Read", {"file_path": "/etc/x"}, "Read(/etc/x)", ("/etc/x", True)),
        ("WebFetch", {"url": "https://a.example/b"}, "A page", ("https://a.example/b", True)),
        ("Bash", {"command": "make\nmake test"}, "make\nmake test", ("make", True)),
        (None, {}, 'Web Search("clawtap")', ("Use Web Search", False)),
    ],
)
def test_a_receipt_names_what_was_asked_in_words_or_as_code(
    tool: str | None, tool_input: dict[str, object], drawn: str, subject: tuple[str, bool]
) -> None:
    form = replace(_permission(drawn, tool_input), title="Tool use", tool_name=tool)
    shown = card(Prompt("r1", "s1", "terminal", form, datetime.now(timezone.utc)))
    assert (shown.subject, shown.subject_code) == subject


def test_what_a_cli_says_below_a_change_stays() -> None:
    drawn = "1  a\n2 -b\n2 +c\nDo you want to make this edit to a.py?"
    (block,) = blocks(_permission(drawn))
    assert block.change
    assert (block.change.added, block.change.removed) == (1, 1)
    assert block.change.lines[-1].kind == "file"


def test_an_address_is_called_a_url() -> None:
    form = PromptForm(Kind.PERMISSION, "Fetch?", tool_name="fetch", tool_input={"base_url": "a.b"})
    assert blocks(form)[-1].fields == (("Base URL", "a.b"),)


def test_an_input_that_is_zero_or_off_is_shown() -> None:
    call = {"target": "prod", "replicas": 0, "dry_run": False, "run_in_background": False}
    (block,) = blocks(PromptForm(Kind.PERMISSION, "Allow?", tool_name="scale", tool_input=call))
    assert block.fields == (("Target", "prod"), ("Replicas", "0"), ("Dry run", "no"))
