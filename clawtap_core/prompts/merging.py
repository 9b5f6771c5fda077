"""Merge what the screen shows of a prompt with what hooks and transcripts report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from clawtap_core.commands import (
    COMMAND_KEYS,
    CONTENT_KEYS,
    NEW_TEXT_KEYS,
    OLD_TEXT_KEYS,
    PATH_KEYS,
)
from clawtap_core.model import Kind, PromptForm, Question, QuestionOption
from clawtap_core.model.line_diff import unified_diff
from clawtap_core.prompts.identity import may_lack_characters, squeeze
from clawtap_core.prompts.sanitize import has_control_chars, show_control_chars
from clawtap_core.screens import letters

# Fewer letters may end another text, too.
_TELLING = 20
# No screen shows the language of a block of code.
_FENCE = re.compile(r"^ *```.*$", re.MULTILINE)
# A CLI may leave them out: they have no width, or turn the direction of what follows.
_UNSEEN = "\u00ad\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_UNSEEN_CHARACTER = re.compile(f"[{_UNSEEN}]")
_ESCAPES = re.compile(rf"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f{_UNSEEN}]")


def may_be_one(seen: PromptForm, reported: PromptForm) -> bool:
    """Return False if kind or tool call tell two prompts apart."""
    calls = {seen.tool_call_id, reported.tool_call_id} - {None}
    return seen.kind is reported.kind and len(calls) < 2


def shows_question_of(seen: PromptForm, reported: PromptForm) -> bool:
    """Return True if the question on the screen is among the reported ones."""
    return any(is_asked_by(seen, question) for question in reported.questions)


def is_asked_by(form: PromptForm, question: Question) -> bool:
    """Return True if a form with one question asks this one.

    Of a form whose top has left the screen, the end of the question counts, and its options, or
    the last of them where the first have left it, too.
    """
    if not form.questions:
        return False
    drawn = form.questions[0]
    shown, whole = squeeze(drawn.question), squeeze(question.question)
    if shown == whole or not form.truncated:
        return bool(shown) and shown == whole
    offered, listed = _labels(question), _labels(drawn)
    if form.more_options and not shown:
        offered = offered[-len(listed) :]
    # What is in view may begin with the header, which only its place tells from the question.
    return (squeeze(question.header) + whole).endswith(shown) and listed == offered


def reviews(page: PromptForm | None, call: PromptForm) -> bool:
    """Return True for a page of a call that asks none of its questions: it reviews the answers."""
    if page is None or not page.questions or not call.questions:
        return False
    return not shows_question_of(page, call)


def reported_questions(listed: object, *, multi_select: str) -> tuple[Question, ...]:
    """Return the questions of a reported call; `multi_select` is the CLI's key for several choices.

    Each item has a `question`, a `header` and `options` with `label` and `description`. Every
    question takes an answer in one's own words, too.
    """
    return tuple(
        Question(
            str(item.get("question", "")),
            header=str(item.get("header", "")),
            options=tuple(
                QuestionOption(str(option.get("label", "")), option.get("description") or None)
                for option in _objects(item.get("options"))
            ),
            multi_select=item.get(multi_select) is True,
            other=True,
        )
        for item in _objects(listed)
    )


def merge_known(seen: PromptForm, reported: PromptForm) -> PromptForm:
    """Return the screen's prompt, completed with the reported tool call.

    Of a command with control characters, which are spelled out, the screen may leave out any part,
    and another command may look the same, too.
    """
    arguments = reported.tool_input or {}
    is_drawn = any(key in arguments for key in COMMAND_KEYS) and draws(arguments)
    if is_drawn:
        seen = replace(seen, truncated=True)
        reported = replace(reported, description=show_control_chars(reported.description))
    lacks_text = seen.truncated or may_lack_characters(seen.description)
    complete = lacks_text and bool(reported.description or reported.questions)
    several = len(reported.questions) > 1
    asks_all = several or complete or reviews(seen, reported)
    asked = next((q for q in reported.questions if is_asked_by(seen, q)), None)
    whole_list = complete and bool(reported.questions)
    return replace(
        seen,
        title=seen.title or (asked.question.split("\n")[0] if asked else ""),
        tool_name=reported.tool_name or seen.tool_name,
        tool_input=reported.tool_input or seen.tool_input,
        rewrapped=is_drawn or (seen.rewrapped and not reported.tool_input),
        tool_call_id=seen.tool_call_id or reported.tool_call_id,
        # The subject stays the screen's, so that the next screen is recognised as the same prompt.
        subject=seen.subject or f"{seen.title}\n{seen.description}",
        description=(complete and reported.description) or seen.description,
        truncated=seen.truncated and not complete,
        more_options=seen.more_options and not whole_list,
        origin=seen.origin or reported.origin,
        # The screen shows best how a single question is answered.
        questions=reported.questions if asks_all else seen.questions,
        position=None if several else seen.position,
    )


def describe_change(arguments: Mapping[str, Any]) -> str:
    """Return a call that changes a file as text: its path, and its lines with their signs.

    A new file is its lines alone.
    """
    path, old, new = (
        next((str(arguments[key]) for key in keys if arguments.get(key)), "")
        for keys in (PATH_KEYS, OLD_TEXT_KEYS, (*CONTENT_KEYS, *NEW_TEXT_KEYS))
    )
    before, after = old.splitlines(), new.splitlines()
    lines = [row for row in unified_diff(before, after) if not row.startswith("@@")]
    return "\n".join((path, *(lines if before else after)))


def names_file(shown: str, path: object) -> bool:
    """Return True if both are one file, though one may be as seen from the project's folder."""
    names = [f"/{squeeze(str(PurePosixPath(name)))}" for name in (shown, str(path or ""))]
    short, long = sorted(names, key=len)
    return long.endswith(short)


def complete_plan(seen: PromptForm, text: str) -> PromptForm:
    """Return a plan whose beginning has left the screen with the text that ends with its rows.

    The text is what the agent said last, which is a plan where its CLI asks about one as text.
    """
    if seen.kind is not Kind.PLAN or not seen.truncated:
        return seen
    shown = letters(seen.description)
    if len(shown) >= _TELLING and letters(_FENCE.sub("", text)).endswith(shown):
        return replace(seen, description=text.strip(), truncated=False)
    return seen


def draws(arguments: Mapping[str, Any]) -> bool:
    """Return True if a call has control characters: the screen may show any part of it.

    So it may of one with invisible characters, which a CLI or the terminal leaves out.
    """
    texts = list(map(str, arguments.values()))
    return any(has_control_chars(text) or _UNSEEN_CHARACTER.search(text) for text in texts)


def may_have_drawn(seen: PromptForm, arguments: Mapping[str, Any]) -> bool:
    """Return True if a part of the call, between its control characters, is on the screen."""
    command = squeeze((seen.tool_input or {}).get("command", "")) or squeeze(seen.description)
    shown = squeeze(seen.description)
    parts = (squeeze(part) for value in arguments.values() for part in _ESCAPES.split(str(value)))
    return any(part in shown or command in part for part in parts if part)


def _labels(question: Question) -> list[str]:
    return [squeeze(option.label) for option in question.options]


def _objects(listed: object) -> list[dict[str, Any]]:
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
