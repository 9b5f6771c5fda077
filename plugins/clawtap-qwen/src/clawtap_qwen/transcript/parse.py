"""Turn the records of a session file into a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from clawtap_core import (
    CANCELLED,
    ERROR,
    SUCCESS,
    AgentEvent,
    Block,
    Message,
    Parsed,
    hookimpl,
)
from clawtap_core.transcripts.api_error import error_code
from clawtap_core.transcripts.conversation_builder import (
    COMPACTED,
    ConversationBuilder,
    read_lines,
    tool_call,
)
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_qwen.transcript import records
from clawtap_qwen.transcript.records import Output, Record
from clawtap_qwen.transcript.sources import user_text

_STATUS = {"success": SUCCESS, "error": ERROR, "cancelled": CANCELLED}
_API_ERROR = "qwen-code.api_error"


@dataclass(frozen=True, slots=True)
class ReadingState:
    """Where a reading stopped: messages that may change, and the user's, by the record before."""

    messages: tuple[Message, ...] = ()
    turns: Mapping[str | None, str] = field(default_factory=dict)


@hookimpl
def parse_transcript(data: bytes, state: ReadingState | None) -> Parsed:
    """Return what the new lines say."""
    reader = _Reader(state or ReadingState())
    consumed = read_lines(data, reader.line, reader.skipped.broken)
    status = [AgentEvent("status_update", reader.status)] if reader.status else []
    return Parsed(
        consumed,
        ReadingState(reader.conversation.state, reader.turns),
        reader.conversation.messages,
        (*reader.errors, *status),
        reader.skipped.total(),
        reader.skipped,
        removed_from=reader.conversation.removed_from,
    )


class _Reader:
    """Reads records one after the other."""

    def __init__(self, state: ReadingState) -> None:
        self.conversation = ConversationBuilder(state.messages)
        self.turns = dict(state.turns)
        self.skipped = SkipCounts()
        self.status: dict[str, Any] = {}
        self.errors: list[AgentEvent] = []

    def line(self, data: bytes) -> None:
        """Read one record."""
        record = records.record.decode(data)
        if record.type == "user":
            self._user(record)
        elif record.type == "assistant":
            self._assistant(record)
        elif record.type == "tool_result":
            self._results(record)
        elif record.type == "system":
            self._note(record)
        else:
            self.skipped.unknown("a record of type", record.type)

    def _user(self, record: Record) -> None:
        blocks = [Block("text", text)] if (text := user_text(record)).strip() else []
        blocks += [Block("text", "[image]") for part in record.parts if part.data]
        if blocks:
            self.turns[record.parent] = record.uuid
            self.conversation.add_message(record.uuid, "user", blocks, at=record.timestamp)

    def _assistant(self, record: Record) -> None:
        # All calls of the answer before have ended. A CLI that was killed has not written it.
        self.conversation.cancel()
        blocks = []
        for part in record.parts:
            if part.call:
                blocks.append(tool_call(part.call.id, part.call.name, part.call.args))
            elif part.text:
                blocks.append(Block("thinking" if part.thought else "text", part.text))
        if blocks:
            self.conversation.add_message(record.uuid, "assistant", blocks, at=record.timestamp)
        if record.model:
            self.status["model"] = record.model
        if tokens := record.tokens:
            self.status["contextTokens"] = tokens.total or tokens.input
            self.status["tokens"] = {
                "input": tokens.input,
                "output": tokens.output,
                "cacheRead": tokens.cached,
            }

    def _results(self, record: Record) -> None:
        shown = record.result.shown if record.result else None
        diff = shown.get("fileDiff") if isinstance(shown, dict) else None
        for part in record.parts:
            if part.output:
                text, failed = _output(part.output)
                status = _STATUS.get(record.result.status if record.result else "")
                status = status or (ERROR if failed else SUCCESS)
                self.conversation.result(
                    part.output.id, text, status, diff if isinstance(diff, str) else None
                )

    def _note(self, record: Record) -> None:
        if record.subtype == "rewind":
            if name := self.turns.get(record.parent):
                self.conversation.remove_from(name)
            return
        if record.subtype == "chat_compression":
            self._notice(record, COMPACTED, "compaction")
            return
        event = record.payload.get("uiEvent") if isinstance(record.payload, dict) else None
        if not isinstance(event, dict) or event.get("event.name") != _API_ERROR:
            return
        text = str(event.get("error_message") or event.get("error") or "")
        self._notice(record, text, "error")
        self.errors.append(AgentEvent("session_error", {"error": text, "code": error_code(text)}))

    def _notice(self, record: Record, text: str, notice: str) -> None:
        self.conversation.add_message(
            record.uuid, "system", [Block("text", text)], at=record.timestamp, notice=notice
        )


def _output(output: Output) -> tuple[str, bool]:
    """Return what a tool returned, and whether that is an error."""
    content = output.response
    if not isinstance(content, dict):
        return "", False
    if isinstance(error := content.get("error"), str):
        return error, True
    text = content.get("output")
    return (text if isinstance(text, str) else msgspec.json.encode(content).decode()), False
