"""The agent's own file of what was said, as messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

from clawtap_core import (
    CANCELLED,
    SUCCESS,
    Block,
    Message,
    Parsed,
    TranscriptInfo,
    TranscriptSource,
    hookimpl,
)
from clawtap_core.transcripts.conversation_builder import lines
from clawtap_core.transcripts.skip_counts import BROKEN
from clawtap_demo.agent.talk import folder

_EDITS = {"Edited: ": SUCCESS, "Not edited: ": CANCELLED}


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """One file a session, in a folder of the agent's own."""
    return (TranscriptSource(folder(env), "*.jsonl"),)


@hookimpl
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """The first line names session and folder; the first message is the title."""
    told = [record for line in lines(head)[0] if (record := _record(line))]
    if not told or "session" not in told[0]:
        return None
    title = next((str(record["text"]) for record in told if record.get("mark") == "❯"), None)
    return TranscriptInfo(PurePath(path).stem, told[0].get("cwd"), title, _moment(told[0]))


@hookimpl
def parse_transcript(data: bytes) -> Parsed:
    """A message for each line."""
    new, consumed = lines(data)
    told = [record for line in new if (record := _record(line))]
    messages = [_message(record) for record in told if "mark" in record]
    broken = len(new) - len(told)
    why = {BROKEN: broken} if broken else {}
    return Parsed(consumed, messages=tuple(messages), skipped=broken, why=why)


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _message(record: Mapping[str, Any]) -> Message:
    role, notice, blocks = _said(str(record["mark"]), str(record.get("text", "")), record)
    return Message(str(record.get("id")), role, blocks, _moment(record), notice)


def _said(
    mark: str, text: str, record: Mapping[str, Any]
) -> tuple[str, str | None, tuple[Block, ...]]:
    call = f"call-{record.get('id')}"
    if mark == "⚙":
        command, _, output = text.removeprefix("$ ").partition("\n")
        return "assistant", None, _call(call, "Shell", {"command": command}, output, SUCCESS)
    if text.startswith("Not run: "):
        given = {"command": text.removeprefix("Not run: ")}
        return "assistant", None, _call(call, "Shell", given, "", CANCELLED)
    for words, status in _EDITS.items():
        if text.startswith(words):
            given = {"path": text.removeprefix(words)}
            return "assistant", None, _call(call, "Edit", given, "", status)
    kind = "thinking" if mark == "✻" else "text"
    role = {"❯": "user", "✗": "system", "✓": "system"}.get(mark, "assistant")
    notice = {"✗": "interrupted", "✓": "info"}.get(mark)
    return role, notice, (Block(kind, text),)


def _call(
    call: str, tool: str, given: Mapping[str, Any], output: str, status: str
) -> tuple[Block, ...]:
    use = Block("tool_use", "", call, tool, given, status)
    return use, Block("tool_result", output, call, tool, None, status)


def _moment(record: Mapping[str, Any]) -> datetime | None:
    try:
        return datetime.fromisoformat(str(record.get("at")))
    except ValueError:
        return None
