"""What a permission would let a tool do that deserves a second look."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from clawtap_core.commands.parser import parse
from clawtap_core.commands.paths import resolve
from clawtap_core.commands.risks import Risk, risks
from clawtap_core.commands.tool_verbs import is_powershell, tool_verb, types_text
from clawtap_core.commands.values import Word

COMMAND_KEYS = ("command", "cmd", "script", "shell_command")
_TYPED_KEYS = ("input", "chars", "text")
FOLDER_KEYS = ("directory", "dir_path", "workdir", "cwd")
PATH_KEYS = ("file_path", "filePath", "path", "filename", "notebook_path")
OLD_TEXT_KEYS = ("old_string", "oldString", "old_str", "old_text", "old_source")
NEW_TEXT_KEYS = ("new_string", "newString", "new_str", "new_text", "new_source")
CONTENT_KEYS = ("content", "contents", "file_text")
# Switches of the CLIs' own tools that are off as a rule.
_MOSTLY_OFF = frozenset(("is_background", "run_in_background", "replace_all"))
_FILE_KEY = re.compile(r"(?i)path|file|dir|folder|notebook|cwd")
_SEARCH_KEY = re.compile(r"(?i)pattern|glob|include")
_PATCH = re.compile(r"\s*(?:apply_patch\s+)?\*\*\* Begin Patch *(?:\n|$)")
_PATCHED_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_MOVED_TO = re.compile(r"^\*\*\* Move to: (.+)$", re.MULTILINE)
_DELETED_FILE = re.compile(r"^\*\*\* Delete File: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marks:
    """The risks of a tool's call; `unknown` names what in it could not be followed."""

    risks: tuple[Risk, ...] = ()
    unknown: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.risks or self.unknown)


def permission_marks(
    tool_input: Mapping[str, Any], project: str | None, tool: str | None = None
) -> Marks:
    """Return what deserves a second look in a tool's call from a project's folder."""
    folder = next((tool_input[key] for key in FOLDER_KEYS if tool_input.get(key)), ".")
    starts_in = resolve(Word(str(folder)), project) if project else None
    scripts = [parse(line, starts_in) for line in _command_lines(tool_input, tool)]
    marked = [risk for script in scripts for risk in risks(script, project)]
    if project and any(_is_outside(path, project) for path in written_paths(tool_input)):
        marked.append(Risk.OUTSIDE)
    if _deletes_a_file(tool_input):
        marked.append(Risk.DELETE)
    unknown = [part for script in scripts for part in script.unknown]
    if scripts and is_powershell(tool or ""):
        unknown.append("a program in PowerShell")
    return Marks(tuple(risk for risk in Risk if risk in marked), tuple(dict.fromkeys(unknown)))


def shell_command(tool_input: Mapping[str, Any]) -> str:
    """Return the command line in a tool's input; "" if there is none."""
    key = command_key(tool_input)
    return _text(tool_input[key]) if key else ""


def command_key(tool_input: Mapping[str, Any]) -> str | None:
    """Return the key of a tool's input that holds its command line; None if there is none."""
    key = next((key for key in COMMAND_KEYS if tool_input.get(key)), None)
    return None if key is None or _is_patch(_text(tool_input[key])) else key


def is_unset(name: str, value: Any) -> bool:
    """Return whether an input of a tool says nothing; dry_run=False and replicas=0 say a lot."""
    return value in (None, "", [], {}) or (value is False and name in _MOSTLY_OFF)


def named_paths(tool_input: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that a tool's input names, those of its changes included.

    A file that moves is one file, by its old name.
    """
    for item in (tool_input, *_listed(tool_input.get("changes"))):
        yield from (str(item[key]) for key in PATH_KEYS if item.get(key))
    paths = tool_input.get("paths")
    yield from map(str, paths) if isinstance(paths, list | tuple) else ()
    for patch in _patches(tool_input):
        yield from _PATCHED_FILE.findall(patch)


def written_paths(tool_input: Mapping[str, Any]) -> Iterator[str]:
    """Yield every path that a tool's input may name, at any depth: more rather than fewer."""
    for name, value in tool_input.items():
        texts = [value] if isinstance(value, str) else _texts(value)
        if _FILE_KEY.search(str(name)):
            # Several lines are no path, but a CLI may ignore a line break at the end of one.
            yield from (text for text in texts if text and "\n" not in text.strip())
        elif _SEARCH_KEY.search(str(name)):
            # Each of "{/etc/*,src/*}" is a pattern of its own.
            parts = (part for text in texts for part in re.split(r"[{},()|]", text))
            yield from (part for part in parts if re.match(r"/|~", part) or ".." in part)
        # The changes of a patch, each with its path, or by their paths.
        if isinstance(value, Mapping):
            yield from (str(key) for key in value if "/" in str(key))
            yield from written_paths(value)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for each in value:
                yield from written_paths(each) if isinstance(each, Mapping) else ()
    for patch in _patches(tool_input):
        yield from (*_PATCHED_FILE.findall(patch), *_MOVED_TO.findall(patch))


def _deletes_a_file(tool_input: Mapping[str, Any]) -> bool:
    """Return whether a patch, or one of several changes, deletes a file."""
    changes = tool_input.get("changes")
    listed = _listed(list(changes.values()) if isinstance(changes, Mapping) else changes)
    kinds = [change.get("kind", change) for change in listed]
    names = [kind.get("type") if isinstance(kind, Mapping) else kind for kind in kinds]
    return "delete" in names or any(map(_DELETED_FILE.search, _patches(tool_input)))


def _listed(changes: Any) -> list[Mapping[str, Any]]:
    several = changes if isinstance(changes, list | tuple) else ()
    return [change for change in several if isinstance(change, Mapping)]


def _patches(tool_input: Mapping[str, Any]) -> Iterator[str]:
    for value in tool_input.values():
        text = "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if "*** Begin Patch" in text:
            yield text


def _command_lines(tool_input: Mapping[str, Any], tool: str | None) -> Iterator[str]:
    """Yield each command line that a call may run; a list is one, or the words of one."""
    keys = (*COMMAND_KEYS, *(_TYPED_KEYS if types_text(tool or "") else ()))
    for value in (tool_input[key] for key in keys if tool_input.get(key)):
        text = _text(value)
        # A shell runs what looks like a patch.
        if _is_patch(text) and tool_verb(tool or "") != "Run":
            continue
        yield text
        if isinstance(value, list | tuple):
            yield shlex.join(map(str, value))


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _is_patch(text: str) -> bool:
    """Return whether a text is nothing but a patch: a command may name one in a comment."""
    return _PATCH.match(text) is not None and all(
        line.startswith(("*", "@", "+", "-", " ")) for line in text.split("\n")[1:] if line.strip()
    )


def _is_outside(path: str, project: str) -> bool:
    place = resolve(Word(path.removeprefix("file://")), project)
    return place is None or not PurePosixPath(place).is_relative_to(PurePosixPath(project))


def _texts(value: Any) -> list[str]:
    several = isinstance(value, Sequence) and not isinstance(value, str)
    return [each for each in value if isinstance(each, str)] if several else []
