"""What a permission would let a tool do that deserves a second look."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from clawtap_core.commands.parser import parse
from clawtap_core.commands.risks import Risk, risks

COMMAND_KEYS = ("command", "cmd", "script", "shell_command")
PATH_KEYS = ("file_path", "filePath", "path", "filename", "notebook_path")
_PATCHED_FILE = re.compile(r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marks:
    """The risks of a tool's call; `unknown` names what in it could not be followed."""

    risks: tuple[Risk, ...] = ()
    unknown: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.risks or self.unknown)


def permission_marks(tool_input: Mapping[str, Any], project: str | None) -> Marks:
    """Return what deserves a second look in a tool's call from a project's folder."""
    command = shell_command(tool_input)
    script = parse(command, project) if command else None
    marked = list(risks(script, project) if script else ())
    if project and Risk.OUTSIDE not in marked:
        root = PurePosixPath(project)
        places = (
            posixpath.normpath(posixpath.join(root, path)) for path in named_paths(tool_input)
        )
        if any(not PurePosixPath(place).is_relative_to(root) for place in places):
            marked.append(Risk.OUTSIDE)
    return Marks(tuple(marked), script.unknown if script else ())


def shell_command(tool_input: Mapping[str, Any]) -> str:
    """Return the command line in a tool's input; "" if there is none."""
    value = next((tool_input[key] for key in COMMAND_KEYS if tool_input.get(key)), "")
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return "" if "*** Begin Patch" in text else text


def named_paths(tool_input: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that a tool's input names, those of its changes included."""
    changes = tool_input.get("changes")
    listed = changes if isinstance(changes, list | tuple) else ()
    for item in (tool_input, *(change for change in listed if isinstance(change, Mapping))):
        yield from (str(item[key]) for key in PATH_KEYS if item.get(key))
    for value in tool_input.values():
        text = "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if "*** Begin Patch" in text:
            yield from _PATCHED_FILE.findall(text)
