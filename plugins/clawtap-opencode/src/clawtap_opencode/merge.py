"""One prompt from what the screen shows and what the server or the transcript says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_core import Effect, Kind, PromptForm, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import (
    describe_change,
    draws,
    may_be_one,
    may_have_drawn,
    merge_known,
    names_file,
    shows_question_of,
)
from clawtap_opencode.protocol.requests import questions_in
from clawtap_opencode.screen.permissions import tool_of
from clawtap_opencode.screen.questions import ASK, is_review

# The arguments of a call that its prompt shows whole; files are shown as seen from the project.
_SHOWN = {"bash": "command", "webfetch": "url"}
# A call that needs no permission may begin with fewer letters of the one that does.
_TELLING = 20
_CHANGES = ("edit", "write")
# A removed or added row; a wide pane shows the old and the new file next to each other.
_CHANGED = re.compile(r"(?:^|\s{2,}) *\d+ [-+] (.*?)(?=\s{2,}\d+ [ +-]|$)", re.MULTILINE)


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Merge the options on the screen with the whole request, or return None if they differ."""
    if reported.kind is Kind.UNKNOWN:
        merged = _merge_call(seen, reported)
    else:
        same = may_be_one(seen, reported) and _is_same(seen, reported)
        merged = merge_known(seen, reported) if same else None
    return merged and replace(merged, expandable=seen.expandable and merged.truncated)


def _merge_call(seen: PromptForm, call: PromptForm) -> PromptForm | None:
    """Merge with a call that the transcript has, which may wait for no permission at all."""
    if call.tool_name == ASK and call.tool_input:
        asked = replace(call, kind=Kind.QUESTION, questions=questions_in(call.tool_input))
        same = is_review(seen) or shows_question_of(seen, asked)
        return merge_known(seen, asked) if same and may_be_one(seen, asked) else None
    if seen.with_effect(Effect.ALLOW_ONCE) is None:
        return None
    arguments = call.tool_input or {}
    if call.tool_name in _CHANGES:
        return _merge_change(seen, call, arguments)
    name = _SHOWN.get(call.tool_name or "", "")
    whole = str(arguments.get(name, ""))
    folder = {"workdir": arguments["workdir"]} if arguments.get("workdir") else {}
    tool_input = {name: whole, **folder}
    asked = replace(call, kind=Kind.PERMISSION, description=whole, tool_input=tool_input)
    same = may_be_one(seen, asked) and _shows(seen, name, whole)
    return merge_known(seen, asked) if same else None


def _shows(seen: PromptForm, name: str, text: str) -> bool:
    if seen.tool_name == "bash" and draws({name: text}):
        return may_have_drawn(seen, {name: text})
    if seen.tool_name == "bash" and seen.truncated:
        shown = squeeze(seen.description)
        return len(shown) >= _TELLING and squeeze(text).startswith(shown)
    shown = squeeze(str((seen.tool_input or {}).get(name, "")))
    return bool(shown) and shown == squeeze(text)


def _merge_change(
    seen: PromptForm, call: PromptForm, arguments: Mapping[str, Any]
) -> PromptForm | None:
    """Merge with a call that changes a file or writes a new one: both are asked about as edits."""
    path, old = arguments.get("filePath"), arguments.get("oldString")
    new = arguments.get("newString") or arguments.get("content")
    tool, named = tool_of(seen.title)
    described = describe_change(arguments)
    asked = replace(call, kind=Kind.PERMISSION, tool_name=tool, description=described)
    if tool != "edit" or not may_be_one(seen, asked):
        return None
    # The path is shown as seen from the folder of the project.
    if not names_file(named["filePath"], path):
        return None
    lines = [squeeze(line) for line in f"{old or ''}\n{new or ''}".split("\n") if line.strip()]
    rows = [squeeze(row) for row in _CHANGED.findall(seen.description)]
    # An edit may replace a part of a line, and the last row in view may be one.
    drawn = all(any(row in line or line in row for line in lines) for row in filter(None, rows))
    return merge_known(seen, asked) if drawn else None


def _is_same(seen: PromptForm, reported: PromptForm) -> bool:
    if seen.kind is Kind.QUESTION:
        return shows_question_of(seen, reported)
    # The page that confirms "always" has other buttons, and the field for a reason has none.
    if seen.with_effect(Effect.ALLOW_ONCE) is None or reported.tool_input is None:
        return False
    argument = str(next(iter(reported.tool_input.values()), ""))
    if seen.tool_name == "bash" == reported.tool_name:
        if draws(reported.tool_input):
            return may_have_drawn(seen, reported.tool_input)
        whole, shown = squeeze(argument), squeeze(seen.description)
        return whole.startswith(shown) if seen.truncated and shown else whole == shown
    tool, named = tool_of(seen.title)
    # A path is shown as seen from the folder of the project.
    return tool == reported.tool_name and any(names_file(name, argument) for name in named.values())
