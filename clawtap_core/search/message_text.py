"""The searchable text of a message: what was said, and what tools were asked to do.

Left out are thoughts, and the output of tools: files, logs and the answers to questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.commands import tool_verb
from clawtap_core.model import Message
from clawtap_core.model.ansi import plain
from clawtap_core.search.characters import composed
from clawtap_core.search.redaction import names_secret, without_secrets

LONGEST = 20_000
_LONGEST_INPUT = 4_000
# Some CLIs add the user's answers to the input of the tool that asked.
_ANSWERS = "answers"
# Between the words of `AskUserQuestion`, `google_web_search` or `mcp__db__query`.
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")


def message_text(message: Message) -> str:
    """Return the searchable text of a message, "" if it has none."""
    text = "\n".join(filter(None, map(str.strip, _parts(message))))[:LONGEST]
    return without_secrets(composed(plain(text)))


def _parts(message: Message) -> Iterator[str]:
    for block in message.content:
        if block.type == "text":
            yield block.text
        elif block.type == "tool_use":
            called = block.input or {}
            name = "Question" if "questions" in called else _tool_name(block.tool_name or "")
            yield f"{name} {' '.join(_values(called))}"[:_LONGEST_INPUT]


def _tool_name(tool: str) -> str:
    """Return the name of a tool in words: results show it."""
    return tool_verb(tool) or _JOINED.sub(" ", tool).strip()


def _values(value: Any, depth: int = 4) -> Iterator[str]:
    """Yield the texts of a tool's input, without secrets."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth:
        for name, inner in value.items():
            # The id of a question is for programs, that of an issue is what somebody looks for.
            unread = name == _ANSWERS or (name == "id" and "question" in value)
            if not unread and not names_secret(str(name)):
                yield from _values(inner, depth - 1)
    elif isinstance(value, (list, tuple)) and depth:
        for inner in value:
            yield from _values(inner, depth - 1)
