"""Messages of a conversation as items: text, thoughts, tools and their results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import PurePath
from typing import Any

from clawtap_core.commands import PATH_KEYS, mcp_tool, subagent_label, tool_verb
from clawtap_core.model import Block, Message
from webui.markup.sanitizer import rich, visible
from webui.viewmodels import prompt_body
from webui.viewmodels.feed_item import Item, Result, Tool
from webui.viewmodels.outcome import sentence
from webui.viewmodels.session_row import file_label
from webui.viewmodels.timestamps import sort_key
from webui.viewmodels.tool_lists import answers, take_questions, take_steps

MOST_RESULT_TEXT = 20_000
_OPEN_DIFF = 30
_STATUSES = {
    "error": ("error", "warning", "failed"),
    "cancelled": ("denied", "cross", "Refused or stopped"),
    "pending": ("running", "clock", "running"),
}
_DONE = ("done", "check", "done")
_NOTICES = {"error": "warning", "interrupted": "stop", "compaction": "expand"}
_NOTICE_WORDS = {
    "interrupted": "Stopped",
    "compaction": "The conversation was shortened to make room",
}
_SUBJECTS = (
    *("command", "cmd", "script", *PATH_KEYS, "pattern", "query", "url"),
    *("description", "prompt", "title", "name"),
)
_SNAKE_CASE = re.compile(r"[a-z]+(?:_[a-z]+)*")
_CAMEL_CASE = re.compile(r"(?:[A-Z][a-z]+){2,}")
_LONG_AGO = datetime.min.replace(tzinfo=timezone.utc)


def message_items(message: Message, session_id: str, folder: str = "") -> Iterator[Item]:
    """Yield the items of one message; paths are shown as seen from the session's folder."""
    for index, block in enumerate(message.content):
        if item := _item(message, session_id, index, block, folder):
            yield replace(item, message=message.id)


def merged(items: Iterable[Item]) -> list[Item]:
    """Put each result into the card of its tool, and keep each id where it first stood."""
    by_id: dict[str, Item] = {}
    tools: dict[str, str] = {}
    for item in items:
        if item.tool and item.kind == "tool":
            tools[item.tool.result.id] = item.id
        if item.tool and item.kind == "result":
            if tool_id := tools.get(item.id):
                by_id[tool_id] = _with_result(by_id[tool_id], item.tool)
            continue
        by_id[item.id] = item
    return list(by_id.values())


def numbered(item: Item, number: int) -> Item:
    """Move the item after those of the same moment that are before it."""
    moment, _, index = item.order.partition("#")
    return replace(item, order=f"{moment}#{number:04d}.{index}")


def _with_result(item: Item, ended: Tool) -> Item:
    if item.tool is None:
        return item
    # The change that was made replaces the one that was planned.
    planned = (block for block in item.tool.blocks if not (ended.blocks and block.change))
    blocks = (*planned, *ended.blocks)
    result, answered = ended.result, answers(ended.result.text, item.tool.questions)
    if answered:
        blocks = (prompt_body.Block("answers", fields=answered),)
    # What a CLI says about answers, or about an approved plan, is meant for its model.
    approved = item.tool.icon == "plan" and result.tone == "done"
    if answered or approved or (item.tool.questions and result.text.startswith("{")):
        result = replace(result, text="")
    tool = replace(item.tool, result=result, blocks=blocks, open=_has_small_change(blocks))
    return replace(item, tool=tool)


def _item(message: Message, session_id: str, index: int, block: Block, folder: str) -> Item | None:
    order = f"{sort_key(message.at or _LONG_AGO)}#{index:03d}"
    key = f"feed-{session_id}-{message.id}-{index}"
    speaker = visible(subagent_label(message.origin))
    if block.type == "tool_use":
        tool_id = f"feed-{session_id}-t-{block.tool_call_id or key}"
        tool = _tool(block, session_id, folder)
        return Item(tool_id, session_id, "tool", order, tool=tool, speaker=speaker)
    if block.type == "tool_result":
        result = _result(block, session_id)
        tool = Tool("", "", prompt_body.diff_blocks(block.diff or ""), result)
        return Item(result.id, session_id, "result", order, tool=tool)
    if not block.text.strip():
        return None
    if block.type == "thinking":
        return Item(key, session_id, "thought", order, html=rich(block.text), speaker=speaker)
    if message.role == "system":
        icon = _NOTICES.get(message.notice or "", "sparkle")
        # What a CLI notes for its model says little to a person.
        text = _NOTICE_WORDS.get(message.notice or "", block.text)
        text = sentence(text) if message.notice == "error" else text
        return Item(key, session_id, "note", order, text=visible(text), icon=icon)
    if message.role == "user":
        return Item(key, session_id, "user", order, text=visible(block.text))
    return Item(key, session_id, "assistant", order, html=rich(block.text), speaker=speaker)


def _tool(block: Block, session_id: str, folder: str) -> Tool:
    tool_input = dict(block.input or {})
    if listed := _listed_tool(dict(tool_input)):
        blocks = prompt_body.tool_blocks(tool_input)
        return replace(listed, blocks=blocks, result=_begun(block, session_id))
    key = next((name for name in _SUBJECTS if tool_input.get(name)), "")
    subject, place = visible(" ".join(str(tool_input.get(key, "")).split()))[:200], ""
    if key in PATH_KEYS:
        subject, place = file_label(subject, folder)
        name, parent = file_label(str(tool_input[key]), folder)
        tool_input[key] = str(PurePath(parent, name))
    blocks = prompt_body.tool_blocks(tool_input)
    if not subject:
        paths = (block.change.path for block in blocks if block.change)
        subject, place = file_label(next(paths, ""), folder)
    return Tool(
        _tool_name(visible(block.tool_name or "Tool")),
        subject,
        blocks,
        _begun(block, session_id),
        open=_has_small_change(blocks),
        place=place,
    )


def _listed_tool(tool_input: dict[str, Any]) -> Tool | None:
    """Return the card, without its blocks, of a tool that asks, plans or lists steps."""
    if questions := take_questions(tool_input):
        name = "Question" if len(questions) == 1 else f"{len(questions)} questions"
        return Tool(name, questions[0].question, icon="question", questions=questions)
    if steps := take_steps(tool_input):
        done = sum(state == "done" for state, _ in steps)
        return Tool("Steps", f"{done} of {len(steps)} done", icon="plan")
    plan = tool_input.get("plan")
    if isinstance(plan, str) and plan.strip():
        return Tool("Plan", visible(plan.strip().split("\n")[0].lstrip("# ")), icon="plan")
    return None


def _begun(block: Block, session_id: str) -> Result:
    return _result(replace(block, status=block.status or "pending", text=""), session_id)


def _tool_name(name: str) -> str:
    """Return what a tool does, or its name in words: "Exit plan mode" for ExitPlanMode."""
    if verb := tool_verb(name):
        return verb
    if of_server := mcp_tool(name):
        server, tool = of_server
        return f"{_tool_name(tool)} ({server})"
    if _CAMEL_CASE.fullmatch(name):
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return name.replace("_", " ").capitalize() if _SNAKE_CASE.fullmatch(name) else name


def _has_small_change(blocks: tuple[prompt_body.Block, ...]) -> bool:
    change = next((block.change for block in blocks if block.change), None)
    return change is not None and len(change.lines) <= _OPEN_DIFF


def _result(block: Block, session_id: str) -> Result:
    tone, icon, word = _STATUSES.get(block.status or "", _DONE)
    # What a CLI writes about a refusal is meant for its model.
    text = "" if tone == "denied" else visible(block.text).strip("\n")
    return Result(
        f"result-{session_id}-{block.tool_call_id}",
        tone,
        icon,
        word,
        text[:MOST_RESULT_TEXT],
        max(0, len(text) - MOST_RESULT_TEXT),
    )
