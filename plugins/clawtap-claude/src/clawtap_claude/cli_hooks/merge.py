"""Match a prompt on the screen with a call that a hook or a transcript reports."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from clawtap_claude.screen.block import CHAT
from clawtap_claude.screen.mcp_tool import beginning_of_name
from clawtap_claude.screen.permissions import WITHHELD
from clawtap_claude.screen.questions import REVIEW
from clawtap_claude.tool_call import prompt_of_call
from clawtap_core import Kind, PromptForm, Question, hookimpl
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import may_be_one, may_have_drawn, merge_known
from clawtap_core.prompts.sanitize import has_control_chars

_MAIN_ARGUMENT = {"Bash": "command", "WebFetch": "url", "WebSearch": "query"}
_SIGNIFICANT = 4
# The CLI shows any printable command of this length.
_LONG = 1000
_CLI_LINES = 4
# The origin of a call whose subagent has no name yet.
_ID = re.compile(r"[0-9a-f]{8,}")
_LINE_NUMBER = re.compile(r"^ *\d+ +")
_BAR = re.compile(r"(?m)^\s*│ ?")
_NOT_WORD = re.compile(r"[\W_]+")
_FILES = ("Write", "Edit", "Read", "NotebookEdit")


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Merge the options on the screen with the full call, or return None if they differ."""
    task = _task(seen) or _task(reported)
    seen, reported = _as_prompt(seen), _as_prompt(reported)
    if not may_be_one(seen, reported) or reported.tool_input is None or not _same(seen, reported):
        return None
    return replace(
        merge_known(seen, reported),
        title=reported.title if seen.title == REVIEW else seen.title,
        truncated=False,
        # Screens and hooks know a subagent's type only, which another may have too.
        origin=task or reported.origin or seen.origin,
        options=seen.options or reported.options,
        questions=_questions(seen, reported),
        more_options=seen.more_options and not reported.questions,
    )


def _as_prompt(form: PromptForm) -> PromptForm:
    # Calls from transcripts come as they are.
    if form.kind is not Kind.UNKNOWN or not form.tool_name or form.tool_input is None:
        return form
    return prompt_of_call(form.tool_name, form.tool_input, call=form.tool_call_id)


def _task(form: PromptForm) -> str | None:
    """Return the task of the subagent that a transcript's call belongs to."""
    known = form.kind is Kind.UNKNOWN and form.origin and not _ID.fullmatch(form.origin)
    return form.origin if known else None


def _same(seen: PromptForm, reported: PromptForm) -> bool:
    if seen.tool_input is not None and seen.tool_input == reported.tool_input:
        return _same_tool(seen.tool_name or "", reported.tool_name or "")
    if seen.kind is Kind.QUESTION:
        return _asks(seen, reported)
    return seen.kind is Kind.PLAN or _shows_call(seen, reported)


def _asks(seen: PromptForm, reported: PromptForm) -> bool:
    """Return True if the open tab is one of the questions or the review page."""
    if not seen.questions or not reported.questions:
        return False
    if seen.title == REVIEW:
        return True
    shown = squeeze(seen.questions[0].question)
    asked = [squeeze(question.question) for question in reported.questions]
    if seen.truncated:
        return any(words.endswith(shown) for words in asked)
    return shown in asked


def _shows_call(seen: PromptForm, reported: PromptForm) -> bool:
    tool, tool_input = reported.tool_name or "", reported.tool_input or {}
    if tool.startswith("mcp__"):
        if seen.tool_name is not None and not _same_tool(seen.tool_name, tool):
            return False
        shown = _printed(_BAR.sub("", seen.description))
        values = map(_printed, _texts(tool_input))
        if (begins := beginning_of_name(seen.description)) is not None:
            if not _letters(tool.removeprefix("mcp__")).startswith(_letters(begins)):
                return False
            return all(value[:20] in shown for value in values)
        return seen.truncated or all(value[:20] in shown for value in values)
    if seen.tool_name is not None and seen.tool_name != tool:
        return False
    shown = squeeze(f"{seen.title}\n{seen.description}")
    withheld = any(map(WITHHELD.fullmatch, seen.description.split("\n")))
    if tool in _FILES:
        names_file = squeeze(PurePosixPath(str(tool_input.get("file_path", ""))).name) in shown
        return names_file and (withheld or not seen.truncated or _overlaps(seen, reported))
    if withheld:
        # The call's description is all that the screen shows of it.
        about = squeeze(str(tool_input.get("description", "")))
        return about in shown and any(map(_cannot_be_shown, tool_input.values()))
    if seen.truncated:
        return _overlaps(seen, reported)
    if tool == "Bash" and has_control_chars(str(tool_input.get("command", ""))):
        return may_have_drawn(seen, {"command": tool_input["command"]})
    argument = squeeze(str(tool_input.get(_MAIN_ARGUMENT.get(tool, ""), "")))
    return argument in shown and (bool(argument) or seen.tool_name == tool)


def _same_tool(seen: str, reported: str) -> bool:
    """Return True for one tool: of an MCP server's the CLI shows its words, not their spelling."""
    if not (seen.startswith("mcp__") and reported.startswith("mcp__")):
        return seen == reported
    return _letters(seen) == _letters(reported)


def _letters(name: str) -> str:
    return _NOT_WORD.sub("", name.casefold())


def _texts(value: object) -> Iterator[str]:
    """Yield the texts and numbers in an argument, however deep."""
    if isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _printed(text: str) -> str:
    """Return the text without blanks and what the CLI replaces by a mark of its own."""
    return "".join(
        each for each in squeeze(text) if each != "\ufffd" and unicodedata.category(each)[0] != "C"
    )


def _cannot_be_shown(value: object) -> bool:
    text = str(value)
    return len(text) > _LONG or not text.replace("\n", "").replace("\t", "").isprintable()


def _overlaps(seen: PromptForm, reported: PromptForm) -> bool:
    # Consecutive calls are often alike, so one line in common is not enough. A few of the lines
    # are the CLI's own words.
    argument = _MAIN_ARGUMENT.get(reported.tool_name or "")
    tool_input = reported.tool_input or {}
    whole = squeeze(str(tool_input.get(argument, "")) if argument else reported.description)
    lines = [squeeze(_LINE_NUMBER.sub("", line)) for line in seen.description.split("\n")]
    significant = [line for line in lines if len(line) >= _SIGNIFICANT]
    others = [line for line in significant if line not in whole]
    return len(others) < len(significant) and len(others) <= _CLI_LINES


def _questions(seen: PromptForm, reported: PromptForm) -> tuple[Question, ...]:
    if not reported.questions:
        return seen.questions
    # The row "Chat about this", the last one, is on the screen only.
    last = [option for question in seen.questions for option in question.options[-1:]]
    alone = len(reported.questions) == 1
    aside = [option for option in last if alone and option.label.endswith(CHAT)]
    placeholder = next((question.placeholder for question in seen.questions), None)
    return tuple(
        replace(question, options=(*question.options, *aside), placeholder=placeholder)
        for question in reported.questions
    )
