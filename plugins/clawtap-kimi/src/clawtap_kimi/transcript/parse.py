"""Turn the records of `wire.jsonl` into a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clawtap_core import CANCELLED, ERROR, SUCCESS, AgentEvent, Block, Message, Parsed, hookimpl
from clawtap_core.transcripts.api_error import error_code
from clawtap_core.transcripts.conversation_builder import (
    COMPACTED,
    ConversationBuilder,
    read_lines,
    tool_call,
)
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_kimi.transcript import records
from clawtap_kimi.transcript.records import Event, Record, Words
from clawtap_kimi.transcript.sources import SUBAGENT, time_of, user_words

_REJECTED = "rejected"
_PROMPTS = 50
# Families of records that the CLI keeps for itself, or that say a second time what others say.
_QUIET = frozenset(
    (
        *("agent", "config", "file_history", "interaction", "mcp", "metadata", "notify"),
        *("permission", "plan", "plan_mode", "plugin", "profile", "prompt", "runtime"),
        *("subagent", "token_counting", "tools", "turn", "llm"),
    )
)
# How the CLI shows a call while it asks, in the words of its arguments.
_ARGUMENTS = {"before": "old_string", "after": "new_string"}
_SHOWN_ONLY = ("kind", "language", "operation")


@dataclass(frozen=True, slots=True)
class ReadingState:
    """Where a reading stopped.

    `step` is the open one, `refused` are calls without their result yet, `prompts` the user's
    messages. A subagent's messages have its `profile` as their origin.
    """

    messages: tuple[Message, ...] = ()
    step: str = ""
    refused: frozenset[str] = frozenset()
    prompts: tuple[str, ...] = ()
    profile: str = ""
    origin: str | None = None


@hookimpl
def parse_transcript(data: bytes, state: ReadingState | None) -> Parsed:
    """Return what the new lines say."""
    reader = _Reader(state or ReadingState())
    consumed = read_lines(data, reader.take, reader.skipped.broken)
    status = [AgentEvent("status_update", reader.status)] if reader.status else []
    return Parsed(
        consumed,
        reader.state(),
        reader.builder.messages,
        (*reader.errors, *status),
        reader.skipped.total(),
        reader.skipped,
        removed_from=reader.builder.removed_from,
    )


class _Reader:
    """Reads records one after the other."""

    def __init__(self, state: ReadingState) -> None:
        self.builder = ConversationBuilder(state.messages)
        self.step = state.step
        self.refused = set(state.refused)
        self.prompts = list(state.prompts)
        self.profile, self.origin = state.profile, state.origin
        self.skipped = SkipCounts()
        self.status: dict[str, Any] = {}
        self.errors: list[AgentEvent] = []

    def state(self) -> ReadingState:
        """Return what the next piece continues."""
        prompts = tuple(self.prompts[-_PROMPTS:])
        refused = frozenset(self.refused)
        return ReadingState(
            self.builder.state, self.step, refused, prompts, self.profile, self.origin
        )

    def take(self, line: bytes) -> None:
        """Read one record."""
        record = records.record.decode(line)
        if record.type == "context.append_loop_event":
            self._step(record.event, record)
        elif record.type == "context.append_message":
            self._message(record)
        elif record.type == "interaction.request":
            self._asked(record)
        elif record.type == "permission.record_approval_result":
            if record.result.decision == _REJECTED:
                self.refused.add(record.call)
        elif record.type == "turn.cancel":
            self.builder.cancel()
            self._notice(record, "Interrupted by the user", "interrupted")
        elif record.type == "turn.ended":
            self._ended(record)
        elif record.type == "context.undo":
            self._undo(record.count)
        elif record.type == "context.apply_compaction":
            self._notice(record, COMPACTED, "compaction")
        else:
            self._note_status(record)

    def _message(self, record: Record) -> None:
        if isinstance(record.message, Words) and record.message.origin.name == SUBAGENT:
            self.origin = self.profile or SUBAGENT
        if words := user_words(record):
            blocks = [
                Block("text", part.text if part.type == "text" else "[image]")
                for part in words.parts
                if part.text.strip() or part.type != "text"
            ]
            name = words.id or f"user-{record.time or 0:.0f}"
            self.prompts.append(name)
            self.builder.add_message(name, "user", blocks, at=time_of(record.time or 0))

    def _step(self, event: Event, record: Record) -> None:
        if event.type == "step.begin":
            self.step = event.uuid
            # All calls of the step before have ended. A CLI that was killed has not written it.
            self.builder.cancel()
        elif event.type == "content.part":
            if event.part.type == "think":
                self._add(event.step, Block("thinking", event.part.think), record)
            elif event.part.text:
                self._add(event.step, Block("text", event.part.text), record)
        elif event.type == "tool.call":
            self._add(event.step, tool_call(event.call, event.name, event.args), record)
        elif event.type == "tool.result":
            status = ERROR if event.result.failed else SUCCESS
            if event.call in self.refused:
                self.refused.remove(event.call)
                status = CANCELLED
            self.builder.result(event.call, _text(event.result.output), status)

    def _asked(self, record: Record) -> None:
        """Add a call that waits for permission: it has its record only once it was answered."""
        request = record.request
        if request.tool and self.step:
            call = tool_call(request.call, request.tool, _arguments(request.display))
            self._add(self.step, call, record)

    def _add(self, step: str, block: Block, record: Record) -> None:
        at = time_of(record.time or 0)
        self.builder.add_message(step, "assistant", [block], at=at, origin=self.origin)

    def _ended(self, record: Record) -> None:
        if record.reason != "failed" or record.error is None:
            return
        text = record.error.message
        self.errors.append(AgentEvent("session_error", {"error": text, "code": error_code(text)}))
        self._notice(record, text, "error")

    def _undo(self, count: int) -> None:
        if 0 < count <= len(self.prompts):
            self.builder.remove_from(self.prompts[-count])
            del self.prompts[-count:]

    def _notice(self, record: Record, text: str, notice: str) -> None:
        name = f"{notice}-{record.time or 0:.0f}"
        at = time_of(record.time or 0)
        self.builder.add_message(name, "system", [Block("text", text)], at=at, notice=notice)

    def _note_status(self, record: Record) -> None:
        self.profile = record.profile or self.profile
        if self.origin:
            return
        if record.type == "llm.request":
            self.status["model"] = record.model
        elif record.type == "token_counting.measured":
            self.status["contextTokens"] = record.tokens
        elif record.type == "usage.record":
            if usage := record.usage:
                self.status["tokens"] = {
                    "input": usage.other + usage.cached + usage.written,
                    "output": usage.output,
                    "cacheRead": usage.cached,
                }
        elif record.type.split(".")[0] not in _QUIET and record.type != "context.undone":
            self.skipped.unknown("a record of type", record.type)


def _arguments(display: Any) -> Mapping[str, Any]:
    """Return a call's arguments as far as the CLI shows them."""
    if not isinstance(display, dict):
        return {}
    if display.get("kind") == "generic":
        detail = display.get("detail")
        return detail if isinstance(detail, dict) else {}
    return {
        _ARGUMENTS.get(str(name), str(name)): value
        for name, value in display.items()
        if name not in _SHOWN_ONLY
    }


def _text(output: Any) -> str:
    if isinstance(output, str):
        return output
    parts: Sequence[Any] = output if isinstance(output, list) else ()
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
