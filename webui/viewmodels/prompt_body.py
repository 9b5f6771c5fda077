"""What a prompt is about, as blocks to show: by the form of its text, never by who tool_input."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from clawtap_core.model import Kind, PromptForm
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


def blocks(form: PromptForm) -> tuple[Block, ...]:
    """Return all that the user has to see before answering, in order; nothing is cut."""
    return tuple(_blocks(form))


def tool_blocks(tool_input: Mapping[str, Any]) -> tuple[Block, ...]:
    """Return a tool's input as a prompt about it would show it."""
    return tuple(_permission("", dict(tool_input), has_tool=True))


def diff_blocks(text: str) -> tuple[Block, ...]:
    """Return a unified diff as a block; nothing where the text is no diff."""
    change = diffs.parse(visible(text)) if text else None
    return (Block("diff", change=_named(change, "")),) if change else ()


def _blocks(form: PromptForm) -> Iterator[Block]:
    description = visible(form.description).strip("\n")
    tool_input = dict(form.tool_input or {})
    if form.kind is Kind.PLAN:
        plan = form.description or _plan(tool_input)
        yield from [Block("rich", html=rich(plan))] if plan else []
    elif form.kind is Kind.UNKNOWN:
        yield from _unknown(description, visible(form.screen or ""))
    elif form.kind is Kind.PERMISSION:
        yield from _permission(description, tool_input, has_tool=bool(form.tool_name))
    elif description:
        yield Block("text", description)


def _plan(tool_input: Mapping[str, Any]) -> str:
    names = ("plan", "content", "text")
    return next((str(tool_input[name]) for name in names if tool_input.get(name)), "")


def _unknown(description: str, screen: str) -> Iterator[Block]:
    if description and squeeze(description) not in squeeze(screen):
        yield Block("text", description)
    if screen:
        yield Block("screen", screen)


def _permission(description: str, tool_input: dict[str, Any], *, has_tool: bool) -> Iterator[Block]:
    described = diffs.parse(description)
    path = _take(tool_input, _PATHS)
    change = described or _change(tool_input, path)
    command = _take(tool_input, _COMMANDS)
    rest = "" if described else _beyond(description, command)
    if command:
        yield Block("code", command, "Command")
    if rest:
        yield Block("text" if command or change or not has_tool else "code", rest, "Request")
    if path and not change:
        tool_input = {"path": path, **tool_input}
    if fields := tuple(_fields(tool_input, squeeze(description))):
        yield Block("fields", fields=fields)
    if change:
        yield Block("diff", change=_named(change, path))


def _beyond(description: str, command: str) -> str:
    """Return what the description says apart from the command, which is shown whole."""
    if not command or command not in description:
        return "" if command and squeeze(description) in squeeze(command) else description
    return description.replace(command, "", 1).strip()


def _named(change: Change, path: str) -> Change:
    """The change under its file's name, which may stand in its first line."""
    first = change.lines[0]
    if first.kind == "file" and path in ("", first.text):
        return Change(change.lines[1:], first.text)
    return Change(change.lines, path)


def _change(tool_input: dict[str, Any], path: str) -> Change | None:
    """The change that a tool's input stands for; what was used of it is taken out."""
    if patch := diffs.parse(_take(tool_input, _PATCHES)):
        return patch
    old, new = _take(tool_input, _OLD), _take(tool_input, _NEW)
    if path and not (old or new):
        new = _take(tool_input, ("content",))
    return diffs.between(old, new) if old or new else None


def _take(tool_input: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        if value := tool_input.get(name):
            del tool_input[name]
            parts = value if isinstance(value, list | tuple) else [value]
            return visible(" ".join(str(part) for part in parts))
    return ""


def _fields(tool_input: Mapping[str, Any], described: str) -> Iterator[tuple[str, str]]:
    for name, value in tool_input.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        text = visible(text)
        if value not in (None, "", [], {}) and squeeze(text) != described:
            yield visible(str(name)), text
