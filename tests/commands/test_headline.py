"""Headlines: what a prompt asks, in the same plain words for every CLI."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

import pytest

from clawtap_core.commands import headline, tool_verb
from clawtap_core.model import Kind, Prompt, PromptForm, Question

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n*** Add File: b.py\n*** End Patch"


def of(
    title: str = "Do you want to proceed?",
    tool: str | None = None,
    changed: Sequence[str] = (),
    channel: str = "terminal",
    kind: Kind = Kind.PERMISSION,
    description: str = "",
    questions: tuple[Question, ...] = (),
    dialog: str | None = None,
    **tool_input: Any,
) -> str:
    form = PromptForm(
        kind,
        title,
        description,
        tool_name=tool,
        tool_input=tool_input,
        questions=questions,
        dialog=dialog,
    )
    prompt = Prompt("r1", "s1", channel, form, datetime.now(timezone.utc))
    return headline(prompt, changed)


@pytest.mark.parametrize("tool", ["Bash", "exec_command", "run_shell_command", None])
def test_a_command_is_a_command_whatever_the_tool_is_called(tool: str | None) -> None:
    assert of(tool=tool, command="make test") == "Run a command?"


def test_a_command_that_is_not_visible_is_known_by_its_tool() -> None:
    assert of("Shell command", "bash") == "Run a command?"
    assert of("", "Bash") == "Run a command?"


def test_a_call_without_a_title_of_its_own_is_named_by_how_the_cli_writes_it() -> None:
    asked = of("Tool use", description='Web Search("clawtap")\nDo you want to proceed?')
    assert asked == "Use Web Search?"
    assert of("Tool use", description="see (this)") == "Tool use"


def test_a_file_is_named_without_its_folders() -> None:
    assert of(tool="Edit", file_path="/home/me/p/foo.py") == "Edit foo.py?"
    assert of(tool="write_file", changed=["docs/notes.md"]) == "Write notes.md?"
    assert of("Do you want to create /home/me/p/new.txt?", "create") == "Write new.txt?"
    assert of(tool="Write", description="1 import os.path\nCreate new.py?") == "Write new.py?"
    for code in (
        "1 old\n1 new",
        "3 + import os.path",
        "+ a.b",
        "  user.valid?",
        "7 return user.valid?",
    ):
        assert of("Apply this change?", "replace", description=code) == "Edit a file?"
    assert of("Edit e0.txt", "edit") == "Edit e0.txt?"
    assert of("Apply this change?", "edit", filePath="src/a.py") == "Edit a.py?"
    assert of(tool="Read", path="/a/" + "b" * 80 + ".py") == f"Read …{'b' * 57}.py?"


def test_several_files_are_counted() -> None:
    assert of("Make the following edits?", "apply_patch", command=PATCH) == "Edit 2 files?"
    moved = "*** Begin Patch\n*** Update File: old.py\n*** Move to: src/new.py\n*** End Patch\n"
    assert of("Make the following edits?", "apply_patch", command=moved) == "Edit old.py?"
    assert of(tool="Edit", changed=["a.py", "b.py", "c.py"]) == "Edit 3 files?"


def test_a_page_is_named_by_its_host_and_a_place_by_its_path() -> None:
    assert of(tool="WebFetch", url="https://docs.python.org/3/") == "Fetch docs.python.org?"
    assert of(tool="web_fetch") == "Fetch a page?"
    assert of(tool="web_fetch", url="http://[::1") == "Fetch a page?"
    assert of(tool="web_fetch", url="https://example.com@other.test:80/") == "Fetch other.test?"
    assert of("Do you want to allow this?", "path", path="/etc/hosts") == "Access /etc/hosts?"
    paths = ["/etc/hosts", "/etc/passwd"]
    assert of("Do you want to allow this?", "path", paths=paths) == "Access 2 files?"


def test_a_tool_of_a_server_is_named_with_it() -> None:
    assert of("Approve mcp__lab__add?", "mcp__lab__add") == "Use add from lab?"
    assert of("Allow it?", "demo.delete_note") == "Use delete_note from demo?"


def test_a_title_that_says_nothing_gives_way_to_the_tool() -> None:
    assert of(tool="enter_plan_mode") == "Enter plan mode?"
    assert of("Do you want to use this tool?", "lab-add") == "Use lab-add?"
    assert of("Would you like to grant these permissions?", "request_permissions") == (
        "Would you like to grant these permissions?"
    )
    assert of() == "Do you want to proceed?"
    assert of("") == "Allow this?"


def test_a_program_and_a_dialog_of_the_cli_keep_their_titles() -> None:
    assert of("Deploy?", channel="external", command="make deploy") == "Deploy?"
    assert of("Do you trust this folder?", dialog="folder-trust") == "Do you trust this folder?"


def test_questions_are_counted_and_one_is_its_own_title() -> None:
    one, two = Question("Which database?", header="Database"), Question("Deploy now?")
    assert of("Database", kind=Kind.QUESTION, questions=(one,)) == "Which database?"
    assert of("Deploy now?", kind=Kind.QUESTION, questions=(one, two)) == "2 questions"
    assert of("About the work", kind=Kind.QUESTION, questions=(one, two)) == "About the work"


def test_a_plan_is_approved() -> None:
    assert of("Would you like to proceed?", kind=Kind.PLAN) == "Approve the plan?"


def test_a_tools_verb_is_known_however_it_is_spelt() -> None:
    assert [tool_verb(name) for name in ("ReadFile", "read_file", "lookup")] == ["Read", "Read", ""]
