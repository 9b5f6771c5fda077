"""What a CLI's tool does, by its name."""

from __future__ import annotations

import re

# What the tools of all CLIs do, by their names in lower case without blanks and marks.
_VERBS = {
    **dict.fromkeys(("bash", "shell", "exec", "execcommand", "runshellcommand"), "Run"),
    "powershell": "Run",
    **dict.fromkeys(("edit", "multiedit", "applypatch", "replace", "notebookedit"), "Edit"),
    **dict.fromkeys(("write", "writefile", "create"), "Write"),
    **dict.fromkeys(("read", "readfile", "view"), "Read"),
    **dict.fromkeys(("path", "externaldirectory"), "Access"),
    **dict.fromkeys(("webfetch", "fetch", "url"), "Fetch"),
    **dict.fromkeys(("agent", "task"), "Start"),
}


def tool_verb(tool: str) -> str:
    """Return what a CLI's tool does, such as "Run" for exec_command; "" if that is not known."""
    return _VERBS.get(re.sub(r"[\W_]", "", tool).lower(), "")


def types_text(tool: str) -> bool:
    """Return whether a CLI's tool types into a program that runs, which may be a shell."""
    return "stdin" in tool.lower()


def is_powershell(tool: str) -> bool:
    """Return whether a CLI's tool runs PowerShell, where a backslash does not escape a quote."""
    return "powershell" in tool.lower()
