"""The chat-completions API's own forms: the chunks that stream one answer."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.testing.scripted.script import Turn

Chunk = dict[str, Any]
_USAGE = {"prompt_tokens": 1200, "completion_tokens": 90, "total_tokens": 1290}


def is_main(body: Mapping[str, Any]) -> bool:
    """Whether this is the agent's own loop: side jobs, such as a title, offer no tools."""
    return bool(body.get("tools"))


def chunks(model: str, turn: Turn) -> Iterator[Chunk]:
    """All chunks of an answer, the last one with its cost."""
    base: Chunk = {
        "id": f"chatcmpl-{uuid.uuid4().hex[:12]}",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
    }

    def chunk(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> Chunk:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}

    yield chunk({"role": "assistant", "content": ""})
    numbers, calls = itertools.count(), False
    for part in turn.pieces():
        if "call" in part:
            calls = True
            yield chunk({"tool_calls": [_call(part["call"], next(numbers))]})
        elif "thought" in part:
            yield chunk({"reasoning_content": part["thought"]})
        else:
            yield chunk({"content": part["text"]})
    yield chunk({}, "tool_calls" if calls else "stop", usage=_USAGE)


def _call(call: Mapping[str, Any], index: int) -> Chunk:
    function = {"name": call["name"], "arguments": json.dumps(call["args"])}
    name = f"call_{uuid.uuid4().hex[:12]}"
    return {"index": index, "id": name, "type": "function", "function": function}
