"""What a tool's input lists for people: questions, the steps of a task, a plan."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from webui.markup.sanitizer import visible

_TEXTS = ("content", "step", "description", "title", "task", "text")
_LISTS = ("todos", "plan", "items", "steps", "tasks")
_ANSWER = re.compile(r'"?\s*[=:]\s*"(.*)"', re.DOTALL)
_DONE = frozenset(("completed", "complete", "done"))
_NOW = frozenset(("in_progress", "in-progress", "active", "doing"))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a tool's input, with its options as (label, description)."""

    question: str
    options: tuple[tuple[str, str], ...]


def take_questions(tool_input: dict[str, Any]) -> tuple[Asked, ...]:
    """Return the questions, and remove them from the input."""
    listed = _mappings(tool_input.get("questions"))
    if not listed or not all(isinstance(fields.get("question"), str) for fields in listed):
        return ()
    del tool_input["questions"]
    return tuple(
        Asked(visible(fields["question"]), tuple(_options(fields.get("options"))))
        for fields in listed
    )


def take_steps(tool_input: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the steps of a task as (state, text), and remove them from the input.

    A state is "done", "now", or "" for what is still to do.
    """
    for name in _LISTS:
        steps = [_step(each) for each in _mappings(tool_input.get(name))]
        if steps and all(text for _, text in steps):
            del tool_input[name]
            return tuple(steps)
    return ()


def answers(result: str, questions: Sequence[Asked]) -> tuple[tuple[str, str], ...]:
    """Return each question with its answer in a tool's result; nothing if one is missing."""
    if not questions:
        return ()
    texts = tuple(_as_json(result)) or tuple(_as_text(result, questions))
    if len(texts) != len(questions) or not all(texts):
        return ()
    return tuple(
        (asked.question, visible(text)) for asked, text in zip(questions, texts, strict=True)
    )


def _options(options: object) -> Iterator[tuple[str, str]]:
    for option in options if isinstance(options, list | tuple) else ():
        fields = option if isinstance(option, Mapping) else {"label": option}
        label, description = fields.get("label"), fields.get("description")
        yield visible(str(label or "")), visible(str(description or ""))


def _step(fields: Mapping[str, Any]) -> tuple[str, str]:
    status = fields.get("status")
    text = next((fields[name] for name in _TEXTS if isinstance(fields.get(name), str)), "")
    if not isinstance(status, str):
        return "", ""
    state = "done" if status in _DONE else "now" if status in _NOW else ""
    return state, visible(text)


def _as_json(result: str) -> Iterator[str]:
    """Yield the answers of an object like {"answers": {"0": "yes", "q1": {"answers": [..]}}}."""
    with suppress(ValueError):
        whole = json.loads(result)
        given = whole.get("answers") if isinstance(whole, dict) else None
        for value in given.values() if isinstance(given, dict) else ():
            yield ", ".join(_leaves(value))


def _as_text(result: str, questions: Sequence[Asked]) -> Iterator[str]:
    """Yield the quoted text that follows each question."""
    places = [result.find(each.question) for each in questions]
    for each, start, end in zip(questions, places, [*places[1:], len(result)], strict=True):
        part = result[start + len(each.question) : end] if 0 <= start < end else ""
        # Before the next question stands the mark that opens it.
        match = _ANSWER.match(part if end == len(result) else part.rstrip().removesuffix('"'))
        yield match[1] if match else ""


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)


def _mappings(value: object) -> Sequence[Mapping[str, Any]]:
    """Return a list of mappings as it is, and anything else as an empty list."""
    listed = value if isinstance(value, list | tuple) else ()
    return listed if all(isinstance(each, Mapping) for each in listed) else ()
