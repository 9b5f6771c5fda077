"""The changes of files in a tool's input, whichever CLI's tool it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import Any

from clawtap_core.commands import CONTENT_KEYS, NEW_TEXT_KEYS, OLD_TEXT_KEYS, PATH_KEYS
from clawtap_core.model.ansi import exact
from webui.markup import diffs
from webui.markup.diffs import Change, Line

_DIFFS = ("diff", "patch", "unified_diff", "fileDiff", "input")
_FILE_NAME = re.compile(r"(?:^|\s)((?:[\w.@~+-]*/)*[\w.@+-]+\.\w{1,8})(?=$|[:\s])")
PATCH_BEGIN = "*** Begin Patch"
# Nothing but a patch, as a tool's input or as the command of one: what else runs is no change.
_PATCH = re.compile(
    r"\s*(?:apply_patch(?: *<< *(?P<quote>['\"]?)(?P<end>\w+)(?P=quote))?\s+)?"
    r"\*\*\* Begin Patch *\n(?P<body>.*?)(?:\n\*\*\* End Patch\s*(?(end)(?P=end)\s*))?",
    re.DOTALL,
)
_PATCHED_FILE = re.compile(r"\*\*\* (?P<what>Update|Add|Delete) File: (?P<path>.+)")
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"
_DELETED, _MOVED = "This file is deleted", "This file is moved to "
_EMPTY = "This file is empty"


def take_changes(tool_input: dict[str, Any], drawn: str = "") -> tuple[Change, ...]:
    """Return the changes, and remove the keys that they show from the input.

    An edit says what it replaces, not where: its lines have the numbers that the CLI has `drawn`.
    """
    listed = tuple(_listed(tool_input.get("changes")))
    if listed:
        del tool_input["changes"]
        return listed
    for name in (*_DIFFS, "command"):
        text = exact(_joined(tool_input.get(name)))
        if PATCH_BEGIN in text and (patched := tuple(_patched(text))):
            del tool_input[name]
            return patched
        if name != "command" and text and (change := diffs.parse(text)):
            del tool_input[name]
            return (named(change, take_text(tool_input, PATH_KEYS)),)
    path = next((str(tool_input[name]) for name in PATH_KEYS if tool_input.get(name)), "")
    pairs = list(_edits(tool_input, path, drawn))
    if not pairs:
        return ()
    take_text(tool_input, PATH_KEYS)
    compared = ((old, diffs.between(old, new).lines) for old, new in pairs)
    lines = (
        line for old, part in compared for line in (diffs.renumbered(part, drawn) if old else part)
    )
    return (Change(tuple(lines), exact(path)),)


def named(change: Change, path: str) -> Change:
    """Return the change with its file's name, which may be its first line."""
    first = change.lines[0]
    if first.kind == "file" and path in ("", first.text):
        heading = [line.text for line in takewhile(lambda line: line.kind == "file", change.lines)]
        # The line may say more, as in "Writing to prices.py", and lines before it, too.
        words = ((at, _FILE_NAME.search(text)) for at, text in enumerate(heading))
        at, name = next(((at, word[1]) for at, word in words if word), (0, first.text))
        return Change((*change.lines[:at], *change.lines[at + 1 :]), name)
    return replace(change, path=path)


def take_text(tool_input: dict[str, Any], names: Sequence[str]) -> str:
    """Remove the first of these keys that has a value, and return that; else ""."""
    for name in names:
        if value := tool_input.get(name):
            del tool_input[name]
            parts = value if isinstance(value, list | tuple) else [value]
            return exact(" ".join(str(part) for part in parts))
    return ""


def _edits(tool_input: dict[str, Any], path: str, drawn: str) -> Iterator[tuple[str, str]]:
    """Yield old and new texts: of one edit, of a list of them, or of a whole new file."""
    edits = tool_input.get("edits")
    if isinstance(edits, list | tuple) and all(isinstance(edit, Mapping) for edit in edits):
        del tool_input["edits"]
        for edit in edits:
            parts = dict(edit)
            yield take_text(parts, OLD_TEXT_KEYS), take_text(parts, NEW_TEXT_KEYS)
    old, new = take_text(tool_input, OLD_TEXT_KEYS), take_text(tool_input, NEW_TEXT_KEYS)
    if new and not old:
        # A call may name what it replaces, such as a notebook's cell: then only the CLI shows it.
        old = "\n".join(diffs.removed_rows(drawn))
    if path and not (old or new or edits):
        new = take_text(tool_input, CONTENT_KEYS)
    if old or new:
        yield old, new


def _listed(changes: object) -> Iterator[Change]:
    """Yield the changes of Codex's list: a diff each, or the whole text of a new file."""
    for item in changes if isinstance(changes, list | tuple) else ():
        if not isinstance(item, Mapping) or not isinstance(item.get("diff"), str):
            continue
        path, diff = exact(str(item.get("path") or "")), exact(item["diff"])
        change = diffs.parse(diff) if "@@ " in diff else None
        if change is None:
            kind = item.get("kind")
            deleted = (kind.get("type") if isinstance(kind, Mapping) else kind) == "delete"
            change = diffs.between(diff, "") if deleted else diffs.between("", diff)
            note = _DELETED if deleted else "" if change.lines else _EMPTY
            heading = (Line("file", note),) if note else ()
            change = Change((*heading, *change.lines))
        if change.lines:
            yield replace(change, path=path)


def _patched(patch: str) -> Iterator[Change]:
    """Yield the changes of Codex's patch format, one for each file, or none for any other text."""
    match = _PATCH.fullmatch(patch)
    rows = match["body"].rstrip("\n").split("\n") if match else []
    heads = [at for at, row in enumerate(rows) if _PATCHED_FILE.fullmatch(row)]
    files = [rows[at:end] for at, end in pairwise((*heads, len(rows)))]
    if heads[:1] == [0] and all(map(_is_patch_row, rows)):
        yield from map(_of_file, files)


def _is_patch_row(row: str) -> bool:
    ours = row.startswith(_MOVE) or row == _END_OF_FILE or _PATCHED_FILE.fullmatch(row) is not None
    return ours or row[:1] in ("", "+", "-", " ") or row.startswith("@@")


def _of_file(rows: Sequence[str]) -> Change:
    """Return the change of one file; that it goes, or moves, has no lines of its own."""
    head = _PATCHED_FILE.fullmatch(rows[0])
    what, path = (head["what"], head["path"].strip()) if head else ("", "")
    notes = [f"{_MOVED}{row.removeprefix(_MOVE)}" for row in rows if row.startswith(_MOVE)]
    if what == "Delete":
        notes.append(_DELETED)
    body = [row for row in rows[1:] if not row.startswith("*** ")]
    if what == "Add" and not body:
        notes.append(_EMPTY)
    return Change((*(Line("file", note) for note in notes), *diffs.signed_lines(body)), path)


def patched_files(patch: str) -> list[str]:
    """Return the names of the files that a patch of Codex changes."""
    heads = filter(None, map(_PATCHED_FILE.fullmatch, patch.split("\n")))
    return [head["path"].strip() for head in heads]


def _joined(value: object) -> str:
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    return value if isinstance(value, str) else ""
