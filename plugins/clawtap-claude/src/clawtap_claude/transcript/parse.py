"""Parse the lines of a transcript into messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from clawtap_claude.transcript import records
from clawtap_claude.transcript.records import Body, Line, Piece
from clawtap_claude.transcript.user_text import plain, spoken
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
from clawtap_core.transcripts.usage_limit import limit_reached, moment, time_in

_NOTHING = Body()
_SYNTHETIC = "<synthetic>"
# What the CLI writes, and does not show, when it takes up a conversation that broke off.
_TAKEN_UP_AGAIN = "No response requested."
LIMIT = re.compile("You've hit your .*limit\\b")
_REFUSED = ("User rejected tool use", "The user doesn't want")
_READ = frozenset(("assistant", "user", "attachment", "system", "cost-state"))
_QUIET = frozenset(
    (
        "agent-name",
        "ai-title",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "progress",
        "queue-operation",
        "summary",
        "tools-used",
    )
)
# Half of a long file is of kinds that say nothing: those are recognized by their first bytes.
_PASSED = re.compile(
    rb'\{"type":"(?:%s)"'
    rb'|\{"parentUuid":[^,]+,"isSidechain":\w+,"attachment":\{"type":"(?!queued_command")'
    % "|".join(sorted(_QUIET)).encode()
)


@dataclass(frozen=True, slots=True)
class ReadingState:
    """Where a reading stopped: messages that may change, and the user's, by the record before."""

    messages: tuple[Message, ...] = ()
    turns: Mapping[str, str] = field(default_factory=dict)


@hookimpl
def parse_transcript(data: bytes, state: ReadingState | None) -> Parsed:
    """Parse new lines into messages; the blocks of one message are merged."""
    reader = _Reader(state or ReadingState())

    def take(line: bytes) -> None:
        if not _PASSED.match(line):
            reader.take(records.line.decode(line))

    consumed = read_lines(data, take, reader.odd)
    builder = reader.builder
    skipped, events = reader.skipped, tuple(reader.events())
    return Parsed(
        consumed,
        ReadingState(builder.state, reader.turns),
        builder.messages,
        events,
        skipped.total(),
        skipped,
        removed_from=builder.removed_from,
    )


class _Reader:
    def __init__(self, state: ReadingState) -> None:
        self.builder = ConversationBuilder(state.messages)
        self.turns = dict(state.turns)
        self.skipped = SkipCounts()
        self._status: dict[str, Any] = {}
        self._last: Body | None = None
        self._errors: list[AgentEvent] = []

    def events(self) -> list[AgentEvent]:
        if self._last and self._last.usage:
            self._status.update(_used(self._last, self._last.usage))
        status = [AgentEvent("status_update", self._status)] if self._status else []
        return [*self._errors, *status]

    def take(self, line: Line) -> None:
        if line.type == "assistant":
            self._assistant(line, line.message or _NOTHING)
        elif line.type == "user":
            self._user(line, line.message or _NOTHING)
        elif line.type == "attachment":
            self._attachment(line)
        elif line.type == "system":
            if line.subtype == "compact_boundary":
                self._notice(line, COMPACTED, "compaction")
        elif line.type == "cost-state":
            self._status["cost"] = line.cost
        else:
            self._other(line.type)

    def odd(self, line: bytes) -> None:
        """Count a line that fits no record."""
        try:
            kind = records.kind.decode(line).type
        except (msgspec.MsgspecError, UnicodeDecodeError):
            kind = ""
        if kind and kind not in _READ:
            self._other(kind)
        else:
            self.skipped.broken()

    def _other(self, kind: str) -> None:
        if kind not in _QUIET:
            self.skipped.unknown("a record of type", kind)

    def _assistant(self, line: Line, body: Body) -> None:
        pieces = body.content
        if isinstance(pieces, str):
            pieces = [Piece(type="text", text=pieces)]
        if line.failed:
            text = plain(pieces)
            if LIMIT.match(text):
                # Versions that record when a limit ends continue by themselves some minutes later.
                ends_at = moment(line.quota.resets_at) if line.quota else None
                continues = ends_at is not None
                self._notice(line, text, "error")
                ends_at = ends_at or time_in(text, line.timestamp)
                self._errors.append(limit_reached(text, ends_at, continues=continues))
                return
            limits = ("usage limit", "limit reached")
            code = error_code(text, rate_limited=limits, not_authorized=("login",))
            self._notice(line, text, "error")
            self._errors.append(AgentEvent("session_error", {"error": text, "code": code}))
            return
        if body.model == _SYNTHETIC and plain(pieces) == _TAKEN_UP_AGAIN:
            # 2.1.85 writes no end of the calls of a CLI that was killed.
            self.builder.cancel()
            return
        blocks = [block for piece in pieces if (block := _block(piece))]
        name = body.id or line.uuid
        self.builder.add_message(name, "assistant", blocks, at=line.timestamp, origin=line.agent)
        if body.usage and body.model != _SYNTHETIC and not line.agent:
            self._last = body

    def _user(self, line: Line, body: Body) -> None:
        if line.meta:
            return
        content = body.content
        if not isinstance(content, str):
            results = [piece for piece in content if piece.type == "tool_result"]
            for piece in results:
                self._result(line, piece)
            if results:
                return
        text, notice = spoken(content)
        if line.summary:
            notice = "compaction"
        if notice == "interrupted":
            self.builder.cancel()
        if not text.strip():
            return
        if notice:
            self._notice(line, text, notice)
        else:
            self._rewind(line)
            block = Block("text", text)
            self.builder.add_message(
                line.uuid, "user", [block], at=line.timestamp, origin=line.agent
            )

    def _rewind(self, line: Line) -> None:
        """Remove what the user went back to before: words that follow the same record as these."""
        if line.parent is None or line.agent:
            return
        if replaced := self.turns.get(line.parent):
            self.builder.remove_from(replaced)
        self.turns[line.parent] = line.uuid

    def _result(self, line: Line, piece: Piece) -> None:
        text = plain(piece.content)
        status = SUCCESS
        if piece.is_error:
            refused = line.denial is not None or text.startswith(_REFUSED)
            status = CANCELLED if refused else ERROR
        self.builder.result(piece.tool_use_id, text, status, _diff(line))

    def _attachment(self, line: Line) -> None:
        if b"queued_command" in bytes(line.attachment)[:200]:
            queued = records.queued.decode(line.attachment)
            text, notice = spoken(queued.prompt)
            if notice:
                self._notice(line, text, notice)
            else:
                self.builder.add_message(
                    line.uuid, "user", [Block("text", text)], at=line.timestamp
                )

    def _notice(self, line: Line, text: str, notice: str) -> None:
        block = Block("text", text)
        at, origin = line.timestamp, line.agent
        self.builder.add_message(line.uuid, "system", [block], at=at, notice=notice, origin=origin)


def _used(body: Body, usage: records.Usage) -> dict[str, Any]:
    """Return the model, its tokens, and how full the context is after this answer."""
    cached = usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    return {
        "model": body.model,
        "contextTokens": usage.input_tokens + cached + usage.output_tokens,
        "tokens": {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cacheRead": usage.cache_read_input_tokens,
            "cacheWrite": usage.cache_creation_input_tokens,
        },
    }


def _block(piece: Piece) -> Block | None:
    if piece.type == "text":
        return Block("text", piece.text) if piece.text.strip() else None
    if piece.type == "thinking":
        return Block("thinking", piece.thinking) if piece.thinking.strip() else None
    if piece.type in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return tool_call(piece.id, piece.name, piece.input)
    return None


def _diff(line: Line) -> str | None:
    if b'"structuredPatch"' not in bytes(line.result):
        return None
    try:
        patched = records.patched.decode(line.result)
    except msgspec.MsgspecError:
        return None
    if not patched.structured_patch:
        return None
    diff = [f"--- {patched.file_path}", f"+++ {patched.file_path}"]
    for hunk in patched.structured_patch:
        diff.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        diff += hunk.lines
    return "\n".join(diff) + "\n"
