"""Marks of whole calls: nothing that an agent adds to a call takes its marks away."""

from __future__ import annotations

from typing import Any

import pytest

from clawtap_core.commands import Marks, Risk, command_key, permission_marks, shell_command

PROJECT = "/home/me/shop"
PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n rm -rf ~\n*** End Patch"
DELETION = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n*** Delete File: b.py\n*** End Patch"


@pytest.mark.parametrize(
    ("tool_input", "risk"),
    [
        ({"command": "rm -rf build # *** Begin Patch"}, Risk.DELETE),
        ({"command": "sudo id; : '*** Begin Patch'"}, Risk.ROOT),
        ({"command": "*** Begin Patch\nrm -rf build"}, Risk.DELETE),
        ({"command": PATCH}, Risk.DELETE),
        ({"command": "run", "script": "rm -rf build"}, Risk.DELETE),
        ({"command": ["bash", "-lc", "git push --force"]}, Risk.FORCE_PUSH),
        ({"command": "make clean", "dir_path": "/etc"}, Risk.OUTSIDE),
        ({"command": "make clean", "directory": ".."}, Risk.OUTSIDE),
        ({"cmd": "cat ../../x", "workdir": "src"}, Risk.OUTSIDE),
        ({"file_path": "~/.bashrc", "content": "x"}, Risk.OUTSIDE),
        ({"file_path": "$HOME/.bashrc", "content": "x"}, Risk.OUTSIDE),
        ({"file_path": "~root/x"}, Risk.OUTSIDE),
        ({"paths": ["src/a", "/etc/hosts"]}, Risk.OUTSIDE),
        ({"dir_path": "/etc"}, Risk.OUTSIDE),
        ({"edits": [{"file_path": "/etc/hosts"}]}, Risk.OUTSIDE),
        ({"changes": {"/etc/hosts": {"type": "update"}}}, Risk.OUTSIDE),
        ({"changes": {"a.py": {"type": "delete"}}}, Risk.DELETE),
        ({"changes": [{"path": "a.py", "kind": {"type": "delete"}}]}, Risk.DELETE),
        ({"command": DELETION}, Risk.DELETE),
        ({"input": DELETION}, Risk.DELETE),
        ({"path": ".", "pattern": "{/etc/*,x}"}, Risk.OUTSIDE),
        ({"file_path": "/etc/hosts\n", "content": "x"}, Risk.OUTSIDE),
    ],
    ids=str,
)
def test_a_call_keeps_its_marks(tool_input: dict[str, Any], risk: Risk) -> None:
    assert risk in permission_marks(tool_input, PROJECT, "Bash").risks


@pytest.mark.parametrize(
    "tool_input",
    [
        {"command": "cat ../a", "workdir": "src"},
        {"command": "make", "workdir": PROJECT},
        {"file_path": "src/a.py", "content": "/etc/hosts"},
        {"file_path": "src/routes/$id.tsx", "content": "x"},
        {"path": "src", "pattern": "a..b"},
        {"changes": [{"path": "a.py", "kind": "update"}, {"path": "b.py"}, "c.py"]},
        {"changes": "delete"},
        {"changes": 5},
        {"command": ["git", "commit", "-m", "done"]},
    ],
    ids=str,
)
def test_what_stays_in_the_project_has_no_mark(tool_input: dict[str, Any]) -> None:
    assert permission_marks(tool_input, PROJECT, "Bash") == Marks()


@pytest.mark.parametrize("tool", ["apply_patch", None])
def test_a_patch_is_no_command(tool: str | None) -> None:
    for patch in (PATCH, ["apply_patch", PATCH]):
        assert shell_command({"command": patch}) == ""
        assert permission_marks({"command": patch}, PROJECT, tool) == Marks()
    outside = {"command": PATCH.replace("src/a.py", "../a.py")}
    assert permission_marks(outside, PROJECT, tool).risks == (Risk.OUTSIDE,)


def test_only_one_key_holds_the_command_that_is_shown() -> None:
    assert command_key({"command": "", "cmd": "ls", "script": "rm x"}) == "cmd"
    assert command_key({"command": PATCH}) is None
    assert command_key({"file_path": "a"}) is None


def test_what_is_typed_into_a_program_may_be_a_command() -> None:
    typed = {"input": "rm -rf build\n"}
    assert permission_marks(typed, PROJECT, "write_stdin").risks == (Risk.DELETE,)
    assert permission_marks({"input": "y\n"}, PROJECT, "write_stdin") == Marks()
    assert permission_marks(typed, PROJECT, "note") == Marks()


def test_a_command_for_powershell_is_not_followed() -> None:
    call = {"command": "Remove-Item x"}
    assert permission_marks(call, PROJECT, "PowerShell").unknown == ("a program in PowerShell",)
    assert not permission_marks({"command": "ls x"}, PROJECT, "Bash")
