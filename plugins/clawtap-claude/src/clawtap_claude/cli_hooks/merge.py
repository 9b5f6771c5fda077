"""Whether a prompt on the screen is the call that a hook or a transcript told of."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from clawtap_claude.screen.block import CHAT
from clawtap_claude.screen.questions import REVIEW
from clawtap_claude.tool_call import prompt_of_call
from clawtap_core import Kind, PromptForm, Question, hookimpl
from clawtap_core.prompts.identity import squeeze

_TOLD_BY = {"Bash": "command", "WebFetch": "url"}
_TELLING = 4
_WORDS_OF_CLI = 4
_LINE_NUMBER = re.compile(r"^ *\d+ +")
_FILES = ("Write", "Edit", "Read", "NotebookEdit")


@hookimpl
def merge_prompt(seen: PromptForm, known: PromptForm) -> PromptForm | None:
    """One prompt of both: what the screen offers, with the whole call that is known."""
    seen, known = _told(seen), _told(known)
    if seen.kind is not known.kind or known.tool_input is None:
        return None
    if seen.tool_call_id and known.tool_call_id and seen.tool_call_id != known.tool_call_id:
        return None
    if not _same(seen, known):
        return None
    return replace(
        seen,
        tool_name=known.tool_name,
        tool_input=known.tool_input,
        tool_call_id=seen.tool_call_id or known.tool_call_id,
        subject=seen.subject or f"{seen.title}\n{seen.description}",
        title=known.title if seen.title == REVIEW else seen.title,
        description=known.description if seen.truncated else seen.description,
        truncated=False,
        options=seen.options or known.options,
        questions=_questions(seen, known),
        more_options=seen.more_options and not known.questions,
        position=None if len(known.questions) > 1 else seen.position,
        origin=seen.origin or known.origin,
    )


def _told(form: PromptForm) -> PromptForm:
    """A call of which a transcript tells the tool and what it is given, as the prompt it makes."""
    if form.kind is not Kind.UNKNOWN or not form.tool_name or form.tool_input is None:
        return form
    return prompt_of_call(form.tool_name, form.tool_input, call=form.tool_call_id)


def _same(seen: PromptForm, known: PromptForm) -> bool:
    if seen.tool_input is not None and seen.tool_input == known.tool_input:
        return seen.tool_name == known.tool_name
    if seen.kind is Kind.QUESTION:
        return _asks(seen, known)
    if seen.kind is Kind.PLAN:
        return True
    return _calls(seen, known)


def _asks(seen: PromptForm, known: PromptForm) -> bool:
    """Whether the open tab is one of the questions, or the page that reviews them."""
    if not seen.questions or not known.questions:
        return False
    if seen.title == REVIEW:
        return True
    shown = squeeze(seen.questions[0].question)
    asked = [squeeze(question.question) for question in known.questions]
    if seen.truncated:
        return any(words.endswith(shown) for words in asked)
    return shown in asked


def _calls(seen: PromptForm, known: PromptForm) -> bool:
    """Whether the screen shows this call, as far as it shows one."""
    tool, given = known.tool_name or "", known.tool_input or {}
    if tool.startswith("mcp__"):
        values = [squeeze(str(each)) for each in given.values() if not isinstance(each, bool)]
        shown = squeeze(seen.description)
        mine = seen.tool_name is None or seen.tool_name.startswith("mcp__")
        return mine and (seen.truncated or all(each[:20] in shown for each in values))
    if seen.tool_name is not None and seen.tool_name != tool:
        return False
    shown = squeeze(f"{seen.title}\n{seen.description}")
    if tool in _FILES:
        names_file = squeeze(PurePosixPath(str(given.get("file_path", ""))).name) in shown
        return names_file and (not seen.truncated or _overlaps(seen, known))
    if seen.truncated:
        return _overlaps(seen, known)
    told = squeeze(str(given.get(_TOLD_BY.get(tool, ""), "")))
    return told in shown and (bool(told) or seen.tool_name == tool)


def _overlaps(seen: PromptForm, known: PromptForm) -> bool:
    """Whether what is left of a call on a small screen is of this one, but for the CLI's words.

    Calls that follow each other are often alike, so one line in common is not enough.
    """
    argument = _TOLD_BY.get(known.tool_name or "")
    given = known.tool_input or {}
    whole = squeeze(str(given.get(argument, "")) if argument else known.description)
    lines = [squeeze(_LINE_NUMBER.sub("", line)) for line in seen.description.split("\n")]
    telling = [line for line in lines if len(line) >= _TELLING]
    others = [line for line in telling if line not in whole]
    return len(others) < len(telling) and len(others) <= _WORDS_OF_CLI


def _questions(seen: PromptForm, known: PromptForm) -> tuple[Question, ...]:
    """The questions with all that is known of them, and the way out that the screen offers."""
    if not known.questions:
        return seen.questions
    aside = [
        option
        for question in seen.questions
        for option in question.options
        if option.label == CHAT and len(known.questions) == 1
    ]
    placeholder = next((question.placeholder for question in seen.questions), None)
    return tuple(
        replace(question, options=(*question.options, *aside), placeholder=placeholder)
        for question in known.questions
    )
