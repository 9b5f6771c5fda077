"""The Responses API's own forms: the events that stream one answer."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Event = dict[str, Any]
_USAGE = {
    "input_tokens": 1200,
    "input_tokens_details": {"cached_tokens": 800},
    "output_tokens": 90,
    "output_tokens_details": {"reasoning_tokens": 20},
    "total_tokens": 1290,
}


def wants_title(body: Mapping[str, Any]) -> bool:
    """Whether a request is the CLI's side job that names the conversation."""
    schema = ((body.get("text") or {}).get("format") or {}).get("schema") or {}
    return list(schema.get("properties") or ()) == ["title"]


def title(text: str) -> Mapping[str, Any]:
    """The part that answers it."""
    return {"text": json.dumps({"title": text})}


def events(model: str, parts: Iterator[Mapping[str, Any]]) -> Iterator[Event]:
    """All events of an answer, numbered, the last one with its cost."""
    numbers = itertools.count()
    for event in _events(model, parts):
        yield {**event, "sequence_number": next(numbers)}


def _events(model: str, parts: Iterable[Mapping[str, Any]]) -> Iterator[Event]:
    base = {"id": _id("resp"), "object": "response", "created_at": 0, "model": model, "output": []}
    parts = list(parts)
    for part in parts:
        # The provider sends metadata before the answer.
        if "metadata" in part:
            yield {"type": "response.metadata", **part["metadata"]}
    yield {"type": "response.created", "response": {**base, "status": "in_progress"}}
    output = []
    for index, part in enumerate(_whole(parts)):
        *before, item = _item(part, index)
        yield from before
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
        output.append(item)
    done = {**base, "status": "completed", "output": output, "usage": _USAGE}
    yield {"type": "response.completed", "response": done}


def _whole(parts: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The parts, pieces of one text put together again with their seams."""
    items: list[dict[str, Any]] = []
    for part in parts:
        if "text" in part and items and "pieces" in items[-1]:
            items[-1]["pieces"].append(part["text"])
        elif "text" in part:
            items.append({"pieces": [part["text"]]})
        elif not part.keys() & {"headers", "metadata"}:
            items.append(dict(part))
    return list(items)


def _item(part: Mapping[str, Any], index: int) -> Iterator[Event]:
    """The events of one item, and at last the item as it is when it is done."""
    if "pieces" in part:
        return _message(part["pieces"], index)
    if "thought" in part:
        return _reasoning(part["thought"], index)
    if "call" in part:
        return _call(part["call"], index)
    return _custom(part["custom"], index)


def _message(pieces: list[str], index: int) -> Iterator[Event]:
    item = {"type": "message", "role": "assistant", "id": _id("msg"), "content": []}
    where = {"item_id": item["id"], "output_index": index, "content_index": 0}
    yield _added(item, index)
    empty = {"type": "output_text", "text": "", "annotations": []}
    yield {"type": "response.content_part.added", **where, "part": empty}
    for piece in pieces:
        yield {"type": "response.output_text.delta", **where, "delta": piece}
    whole = "".join(pieces)
    yield {"type": "response.output_text.done", **where, "text": whole}
    yield {**item, "status": "completed", "content": [{**empty, "text": whole}]}


def _reasoning(text: str, index: int) -> Iterator[Event]:
    item = {"type": "reasoning", "id": _id("rs"), "summary": []}
    where = {"item_id": item["id"], "output_index": index, "summary_index": 0}
    part = {"type": "summary_text", "text": text}
    kind = "response.reasoning_summary"
    yield _added(item, index)
    yield {"type": f"{kind}_part.added", **where, "part": {**part, "text": ""}}
    yield {"type": f"{kind}_text.delta", **where, "delta": text}
    yield {"type": f"{kind}_text.done", **where, "text": text}
    yield {**item, "summary": [part], "encrypted_content": "bGFi"}


def _call(call: Mapping[str, Any], index: int) -> Iterator[Event]:
    item = {"type": "function_call", "id": _id("fc"), "call_id": _id("call"), "name": call["name"]}
    if call.get("namespace"):
        item["namespace"] = call["namespace"]
    arguments = json.dumps(call["args"])
    yield _added({**item, "arguments": ""}, index)
    yield {**item, "arguments": arguments, "status": "completed"}


def _custom(call: Mapping[str, Any], index: int) -> Iterator[Event]:
    item = {"type": "custom_tool_call", "id": _id("ctc"), "call_id": _id("call")}
    item["name"] = call["name"]
    yield _added({**item, "input": ""}, index)
    yield {**item, "input": call["input"], "status": "completed"}


def _added(item: Mapping[str, Any], index: int) -> Event:
    return {"type": "response.output_item.added", "output_index": index, "item": dict(item)}


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:16]}"
