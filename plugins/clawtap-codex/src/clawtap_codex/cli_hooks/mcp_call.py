"""Which reported call of an MCP tool a prompt is about."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from clawtap_codex.text import CUT_ARGUMENT
from clawtap_core import PromptForm
from clawtap_core.prompts.identity import squeeze

_PREFIX = "mcp__"
# What stands for other characters in the names of servers and tools.
_OTHERS = re.compile(r"[^A-Za-z0-9]+")


def is_mcp(form: PromptForm) -> bool:
    """Return whether a call is reported as one of an MCP tool."""
    return (form.tool_name or "").startswith(_PREFIX)


def argument_rows(call: PromptForm) -> list[str]:
    """Return a call's arguments as 0.169 draws them, one a row."""
    rows = sorted((call.tool_input or {}).items())
    return [
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in rows
    ]


def is_same_mcp_call(seen: PromptForm, call: PromptForm) -> bool:
    """Return True if the screen names this call's tool, and shows no other arguments."""
    name = call.tool_name or ""
    if "." in (seen.tool_name or ""):
        named = _plain(seen.tool_name or "") == _plain(name.removeprefix(_PREFIX))
    else:
        tool = squeeze(name.rpartition("__")[2])
        named = seen.tool_name == name or tool in squeeze(seen.title)
    return named and _may_have_arguments(seen, call)


def _may_have_arguments(seen: PromptForm, call: PromptForm) -> bool:
    if seen.tool_input:
        return _squeezed(seen.tool_input) == _squeezed(call.tool_input)
    return not seen.description or _are_drawn(squeeze(seen.description), argument_rows(call))


def _are_drawn(shown: str, rows: Sequence[str]) -> bool:
    """Return True if these rows are what is shown; the CLI cuts long ones."""
    for row in map(squeeze, rows):
        if shown.startswith(row):
            shown = shown.removeprefix(row)
            continue
        drawn = next(
            (end for end in range(len(row), 0, -1) if shown.startswith(row[:end] + CUT_ARGUMENT)),
            None,
        )
        if drawn is None:
            return False
        shown = shown[drawn + len(CUT_ARGUMENT) :]
    return not shown


def _squeezed(value: object) -> str:
    return squeeze(json.dumps(value, sort_keys=True))


def _plain(name: str) -> str:
    return _OTHERS.sub("_", name)
