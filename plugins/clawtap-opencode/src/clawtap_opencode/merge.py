"""One prompt from what the screen shows and what the server or the transcript says."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core import Effect, Kind, PromptForm, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import (
    draws,
    may_be_one,
    may_have_drawn,
    merge_drawn,
    merge_known,
    shows_question_of,
)
from clawtap_opencode.protocol.requests import questions_in
from clawtap_opencode.screen.permissions import tool_of
from clawtap_opencode.screen.questions import ASK, is_review

# The arguments of a call that its prompt shows whole; files are shown as seen from the project.
_SHOWN = {"bash": "command", "webfetch": "url"}


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Merge the options on the screen with the whole request, or return None if they differ."""
    if reported.kind is Kind.UNKNOWN:
        return _merge_call(seen, reported)
    if not may_be_one(seen, reported) or not _is_same(seen, reported):
        return None
    merged = _merge(seen, reported)
    return replace(merged, expandable=seen.expandable and merged.truncated)


def _merge_call(seen: PromptForm, call: PromptForm) -> PromptForm | None:
    """Merge with a call that the transcript has, which may wait for no permission at all."""
    if call.tool_name == ASK and call.tool_input:
        asked = replace(call, kind=Kind.QUESTION, questions=questions_in(call.tool_input))
        same = is_review(seen) or shows_question_of(seen, asked)
        return merge_known(seen, asked) if same and may_be_one(seen, asked) else None
    name, arguments = _SHOWN.get(call.tool_name or "", ""), call.tool_input or {}
    whole = str(arguments.get(name, ""))
    folder = {"workdir": arguments["workdir"]} if arguments.get("workdir") else {}
    tool_input = {name: whole, **folder}
    asked = replace(call, kind=Kind.PERMISSION, description=whole, tool_input=tool_input)
    if not _shows_whole(seen, name, whole) or not may_be_one(seen, asked):
        return None
    return _merge(seen, asked) if seen.with_effect(Effect.ALLOW_ONCE) else None


def _shows_whole(seen: PromptForm, name: str, text: str) -> bool:
    if seen.tool_name == "bash" and draws({name: text}):
        return may_have_drawn(seen, {name: text})
    shown = str((seen.tool_input or {}).get(name, ""))
    return bool(shown) and squeeze(shown) == squeeze(text)


def _merge(seen: PromptForm, reported: PromptForm) -> PromptForm:
    # The CLI draws a control character as a blank, and leaves out as much at the end.
    drawn = reported.tool_name == "bash" and draws(reported.tool_input or {})
    return merge_drawn(seen, reported) if drawn else merge_known(seen, reported)


def _is_same(seen: PromptForm, reported: PromptForm) -> bool:
    if seen.kind is Kind.QUESTION:
        return shows_question_of(seen, reported)
    # The page that confirms "always" has other buttons, and the field for a reason has none.
    if seen.with_effect(Effect.ALLOW_ONCE) is None or reported.tool_input is None:
        return False
    whole = squeeze(str(next(iter(reported.tool_input.values()), "")))
    if seen.tool_name == "bash" == reported.tool_name:
        if draws(reported.tool_input):
            return may_have_drawn(seen, reported.tool_input)
        shown = squeeze(seen.description)
        return whole.startswith(shown) if seen.truncated and shown else whole == shown
    tool, named = tool_of(seen.title)
    # A path is shown as seen from the folder of the project.
    return tool == reported.tool_name and whole.endswith(tuple(map(squeeze, named.values())))
