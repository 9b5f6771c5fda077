"""What a prompt is about, as blocks to show: by the form of its text, never by who asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from clawtap_core.prompts.identity import squeeze
from webui.markup import diffs
from webui.markup.diffs import Change
from webui.markup.sanitizer import rich, visible

_COMMANDS = ("command", "cmd", "script", "shell_command")
_PATHS = ("file_path", "path", "filename", "notebook_path")
_OLD = ("old_string", "old_str", "old_text")
_NEW = ("new_string", "new_str", "new_text")
_PATCHES = ("diff", "patch", "unified_diff", "fileDiff")


_NONE = Markup()


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a prompt's body. `kind`: text, code, rich, diff, screen or fields."""

    kind: str
    text: str = ""
    label: str = ""
    html: Markup = _NONE
    change: Change | None = None
    fields: tuple[tuple[str, str], ...] = ()


def blocks(prompt: Mapping[str, Any]) -> tuple[Block, ...]:
    """Everything that the user has to see before answering, in order; nothing is cut."""
    return tuple(_blocks(prompt))


def tool_blocks(given: Mapping[str, Any]) -> tuple[Block, ...]:
    """What a tool was given, as a prompt about it would show it."""
    return tuple(_permission("", dict(given), tool=True))


def diff_blocks(text: str) -> tuple[Block, ...]:
    """A unified diff as a block; none where it is none."""
    change = diffs.parse(visible(text)) if text else None
    return (Block("diff", change=_named(change, "")),) if change else ()


def _blocks(prompt: Mapping[str, Any]) -> Iterator[Block]:
    description = visible(prompt.get("description") or "").strip("\n")
    asked = dict(prompt.get("toolInput") or {})
    kind = prompt.get("type")
    if kind == "plan":
        plan = prompt.get("description") or _plan(asked)
        yield from [Block("rich", html=rich(plan))] if plan else []
    elif kind == "unknown":
        yield from _unknown(description, visible(prompt.get("screen") or ""))
    elif kind == "permission":
        yield from _permission(description, asked, bool(prompt.get("toolName")))
    elif description:
        yield Block("text", description)


def _plan(asked: Mapping[str, Any]) -> str:
    return next((str(asked[key]) for key in ("plan", "content", "text") if asked.get(key)), "")


def _unknown(description: str, screen: str) -> Iterator[Block]:
    if description and squeeze(description) not in squeeze(screen):
        yield Block("text", description)
    if screen:
        yield Block("screen", screen)


def _permission(description: str, asked: dict[str, Any], tool: bool) -> Iterator[Block]:
    described = diffs.parse(description)
    path = _take(asked, _PATHS)
    change = described or _change(asked, path)
    command = _take(asked, _COMMANDS)
    rest = "" if described else _beside(description, command)
    if command:
        yield Block("code", command, "Command")
    if rest:
        yield Block("text" if command or change or not tool else "code", rest, "Request")
    if path and not change:
        asked = {"path": path, **asked}
    if fields := tuple(_fields(asked, squeeze(description))):
        yield Block("fields", fields=fields)
    if change:
        yield Block("diff", change=_named(change, path))


def _beside(description: str, command: str) -> str:
    """What the description says beside the command, which is shown whole."""
    if not command or command not in description:
        return "" if command and squeeze(description) in squeeze(command) else description
    return description.replace(command, "", 1).strip()


def _named(change: Change, path: str) -> Change:
    """The change under its file's name, which may stand in its first line."""
    first = change.lines[0]
    if first.kind == "file" and path in ("", first.text):
        return Change(change.lines[1:], first.text)
    return Change(change.lines, path)


def _change(asked: dict[str, Any], path: str) -> Change | None:
    """The change that a tool's input stands for; what was used of it is taken out."""
    if patch := diffs.parse(_take(asked, _PATCHES)):
        return patch
    old, new = _take(asked, _OLD), _take(asked, _NEW)
    if path and not (old or new):
        new = _take(asked, ("content",))
    return diffs.between(old, new) if old or new else None


def _take(asked: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        if value := asked.get(name):
            del asked[name]
            parts = value if isinstance(value, list | tuple) else [value]
            return visible(" ".join(str(part) for part in parts))
    return ""


def _fields(asked: Mapping[str, Any], described: str) -> Iterator[tuple[str, str]]:
    for name, value in asked.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        text = visible(text)
        if value not in (None, "", [], {}) and squeeze(text) != described:
            yield visible(str(name)), text
