"""The Gemini API's own forms: chunks of an answer, and answers to side jobs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.testing.scripted.script import Turn

PLAN_FILE = "{{PLAN_FILE}}"
_PLANS = re.compile(r"[^\s`\"\\]*/\.gemini/[^\s`\"\\]+/plans/")
USAGE = {"promptTokenCount": 1200, "candidatesTokenCount": 30, "totalTokenCount": 1230}
_ROUTE = re.compile(r"/models/(?P<model>[^:/]+):(?P<method>\w+)")


def route(path: str) -> tuple[str, str]:
    """The model and the method that a path names."""
    found = _ROUTE.search(path)
    return (found["model"], found["method"]) if found else ("?", path)


def is_main(method: str, body: Mapping[str, Any]) -> bool:
    """Whether a request belongs to the agent's loop: a stream that offers functions."""
    tools = body.get("tools") or ()
    return method == "streamGenerateContent" and any("functionDeclarations" in t for t in tools)


def answer(model: str, part: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    """One chunk of an answer; the last one says how it finished and what it cost."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [part]}, "index": 0}
    chunk: dict[str, Any] = {"candidates": [candidate], "modelVersion": model}
    if finish:
        candidate["finishReason"] = finish
        chunk["usageMetadata"] = USAGE
    return chunk


def chunks(model: str, turn: Turn, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A turn's chunks; one that stalls leaves its finish to a last empty chunk."""
    parts = [_part(piece, body) for piece in turn.pieces()]
    for at, part in enumerate(parts):
        last = at == len(parts) - 1 and not turn.stall
        yield answer(model, part, turn.finish if last else None)


def _part(piece: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    if "thought" in piece:
        return {"text": piece["thought"], "thought": True}
    if "call" in piece:
        return {"functionCall": with_plan_file(piece["call"], body)}
    return {"text": piece["text"]}


def with_plan_file(call: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """A call with the file for plans in the folder that the CLI names in plan mode."""
    args = dict(call["args"])
    if PLAN_FILE not in args.values():
        return dict(call)
    folder = _PLANS.search(json.dumps(body.get("systemInstruction")))
    path = f"{folder[0]}plan.md" if folder else "/nonexistent/plan.md"
    # Older versions want the whole path of the plan, newer ones its name.
    if "plan_path" in args and '"plan_filename"' in json.dumps(body.get("tools")):
        args = {"plan_filename": PLAN_FILE}
        path = "plan.md"
    filled = {key: path if value == PLAN_FILE else value for key, value in args.items()}
    return {**call, "args": filled}


def side_text(body: Mapping[str, Any]) -> str:
    """A valid answer to a side job: the least value of its schema, or some text."""
    config = body.get("generationConfig") or {}
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    return json.dumps(_least(schema)) if schema else "aux answer"


def _least(schema: Mapping[str, Any]) -> Any:
    if values := schema.get("enum"):
        return "user" if "user" in values else values[0]
    kind = schema.get("type") or "object"
    name = (kind if isinstance(kind, str) else kind[0]).lower()
    if name == "object":
        properties = schema.get("properties") or {}
        return {key: _least(value) for key, value in properties.items()}
    return {"array": [], "number": 0, "integer": 0, "boolean": False}.get(name, "aux")
