"""The Messages API, as far as Claude Code speaks it: which request is which, answers as events."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Event = dict[str, Any]
PLAN_FILE = "{{PLAN_FILE}}"
_PLANS = re.compile(r"(/[^\s\"'`\\]+/plans/[^\s\"'`\\]+\.md)")
_AGENT_TOOLS = {"Bash", "Read", "Edit", "Task", "Agent"}
_numbers = itertools.count(1)
_USAGE = {"input_tokens": 1200, "output_tokens": 40}


def is_main(body: Mapping[str, Any]) -> bool:
    """Whether it is the agent's own loop: it brings the agent's tools, and leaves the choice."""
    tools = {tool.get("name") for tool in body.get("tools") or ()}
    return bool(tools & _AGENT_TOOLS) and not body.get("tool_choice")


def task(body: Mapping[str, Any]) -> str:
    """What the conversation began with: an agent's task, or the user's first message."""
    return json.dumps((body.get("messages") or [""])[0])


def side_text(body: Mapping[str, Any]) -> str:
    """What a side job gets: a title where one is asked for."""
    asked = json.dumps([body.get("system"), body.get("output_config")]).lower()
    if "title" in asked:
        return json.dumps({"title": "Lab session", "isNewTopic": False})
    return "ok"


def with_plan_file(value: Any, body: Mapping[str, Any]) -> Any:
    """The input of a call, with the file for plans that the CLI named."""
    text = json.dumps(value)
    if PLAN_FILE not in text:
        return value
    found = _PLANS.findall(json.dumps(body))
    return json.loads(text.replace(PLAN_FILE, found[-1] if found else "/nonexistent/plan.md"))


def block(part: Mapping[str, Any], body: Mapping[str, Any]) -> Event:
    """A part of a turn as a content block."""
    if "thought" in part:
        return {"type": "thinking", "thinking": part["thought"], "signature": "c2lnbmVk"}
    if "call" in part:
        call = part["call"]
        given = with_plan_file(call["args"], body)
        key = f"toolu_{next(_numbers):022d}"
        return {"type": "tool_use", "id": key, "name": call["name"], "input": given}
    return {"type": "text", "text": part["text"]}


def message(model: str, content: list[Event], *, whole: bool) -> Event:
    """A message of the assistant; `whole` with its content, else as a stream begins it."""
    return {
        "id": f"msg_{next(_numbers):024d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content if whole else [],
        "stop_reason": stop_reason(content) if whole else None,
        "stop_sequence": None,
        "usage": _USAGE,
    }


def stop_reason(content: Iterable[Event]) -> str:
    """Why the model stopped."""
    calls = any(each["type"] == "tool_use" for each in content)
    return "tool_use" if calls else "end_turn"


def events(
    model: str, parts: Iterable[Mapping[str, Any]], body: Mapping[str, Any]
) -> Iterator[Event]:
    """A turn as the events of a stream; texts that follow each other are one block."""
    content = _merged(block(part, body) for part in parts)
    flat = [each[0] for each in content]
    yield {"type": "message_start", "message": message(model, flat, whole=False)}
    for index, pieces in enumerate(content):
        yield from _block_events(index, pieces)
    ended = {"stop_reason": stop_reason(flat), "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 40}}
    yield {"type": "message_stop"}


def _merged(blocks: Iterable[Event]) -> list[list[Event]]:
    groups = itertools.groupby(blocks, key=lambda event: event.get("id") or event["type"])
    return [list(group) for _, group in groups]


def _block_events(index: int, pieces: list[Event]) -> Iterator[Event]:
    kind = pieces[0]["type"]
    empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}}.get(kind)
    named = {"id": pieces[0].get("id"), "name": pieces[0].get("name")}
    start: Event = {"type": kind, **(empty or named)}
    if empty is None:
        start["input"] = {}
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for piece in pieces:
        yield {"type": "content_block_delta", "index": index, "delta": _delta(piece)}
    if kind == "thinking":
        signed = {"type": "signature_delta", "signature": pieces[0]["signature"]}
        yield {"type": "content_block_delta", "index": index, "delta": signed}
    yield {"type": "content_block_stop", "index": index}


def _delta(piece: Event) -> Event:
    if piece["type"] == "tool_use":
        return {"type": "input_json_delta", "partial_json": json.dumps(piece["input"])}
    if piece["type"] == "thinking":
        return {"type": "thinking_delta", "thinking": piece["thinking"]}
    return {"type": "text_delta", "text": piece["text"]}
