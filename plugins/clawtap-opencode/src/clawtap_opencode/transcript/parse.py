"""The rows of a conversation as messages, all of them each time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clawtap_core import (
    CANCELLED,
    ERROR,
    PENDING,
    SUCCESS,
    AgentEvent,
    Block,
    Message,
    Parsed,
    hookimpl,
)
from clawtap_core.transcripts.api_error import error_code
from clawtap_core.transcripts.conversation_builder import COMPACTED, read_lines
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_opencode.subagents import subagent_name
from clawtap_opencode.transcript import records
from clawtap_opencode.transcript.records import MessageData, PartData
from clawtap_opencode.transcript.sources import moment

_STATUS = {"pending": PENDING, "running": PENDING, "completed": SUCCESS, "error": ERROR}
_REFUSED = ("The user rejected permission", "The user dismissed", "Tool execution aborted")
# How the output of a command ends that was interrupted; it has no exit status.
_STOPPED = re.compile(r"<(\w+)_metadata>\s*User aborted the command\s*</\1_metadata>\s*\Z")
# The title of a subagent's session is its task with its type: "look around (@general subagent)".
_ABORTED = "MessageAbortedError"
_SILENT = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction", "subtask"}
)


@dataclass(frozen=True, slots=True)
class ReadingState:
    """What was reported so far: the messages, and those of which an error was."""

    messages: Mapping[str, Message] = field(default_factory=dict)
    errors: frozenset[str] = frozenset()


@hookimpl
def parse_transcript(data: bytes, state: ReadingState | None) -> Parsed:
    """Return what is new or changed; everything where a message that was reported is gone."""
    conversation = _Conversation()
    consumed = read_lines(data, conversation.add, conversation.skipped.broken)
    messages = conversation.messages()
    before = state or ReadingState()
    # A long conversation loses its oldest messages to the limit, which is no change.
    first = next(iter(messages), "")
    gone = any(name not in messages and name >= first for name in before.messages)
    changed = tuple(
        message
        for name, message in messages.items()
        if gone or before.messages.get(name) != message
    )
    errors = [event for name, event in conversation.errors.items() if name not in before.errors]
    status = [AgentEvent("status_update", conversation.status)] if conversation.status else []
    return Parsed(
        consumed,
        ReadingState(messages, frozenset(conversation.errors)),
        changed,
        (*errors, *status),
        conversation.skipped.total(),
        conversation.skipped,
        replaces_all=gone,
    )


class _Conversation:
    """The messages of one reading, with their parts."""

    def __init__(self) -> None:
        self.skipped = SkipCounts()
        self.errors: dict[str, AgentEvent] = {}
        self.status: dict[str, Any] = {}
        self._infos: dict[str, tuple[MessageData, str | None]] = {}
        self._blocks: dict[str, list[Block]] = {}

    def add(self, line: bytes) -> None:
        """Take a row."""
        row = records.row(line)
        if not row.part:
            info = records.message(row.data)
            self._infos[row.id] = (info, subagent_name(row.task, info.agent) if row.sub else None)
        elif row.id in self._infos:
            self._blocks.setdefault(row.id, []).extend(self._of_part(records.part(row.data)))

    def messages(self) -> dict[str, Message]:
        """Return the messages in their order."""
        messages: dict[str, Message] = {}
        answers = [name for name, (info, sub) in self._infos.items() if _is_answer(info, sub)]
        # The next answer begins when the calls of the one before have ended. A CLI that was killed
        # has written no end of them.
        cut_off = bool(answers)
        for name, (info, origin) in self._infos.items():
            cut_off = cut_off and name != answers[-1]
            at = moment(info.time.created)
            blocks = tuple(self._blocks.get(name, ()))
            if cut_off:
                blocks = tuple(map(_cancelled, blocks))
            # What a subagent was asked is the call that started it.
            is_shown = info.role == "assistant" or (info.role == "user" and origin is None)
            if blocks and info.summary is True:
                words = (Block("text", COMPACTED),)
                messages[name] = Message(name, "system", words, at, "compaction", origin)
            elif blocks and is_shown:
                messages[name] = Message(name, info.role, blocks, at, origin=origin)
            if info.error:
                notice = self._note_error(name, info)
                text = (Block("text", info.error.text),)
                messages[f"{name}-end"] = Message(f"{name}-end", "system", text, at, notice, origin)
            if _is_answer(info, origin):
                self._note_status(info)
        return messages

    def _note_error(self, name: str, info: MessageData) -> str:
        if info.error is None or info.error.name == _ABORTED:
            return "interrupted"
        text = info.error.text
        data = {"error": text, "code": error_code(text)}
        self.errors[name] = AgentEvent("session_error", data)
        return "error"

    def _note_status(self, info: MessageData) -> None:
        if info.model:
            self.status["model"] = f"{info.provider}/{info.model}" if info.provider else info.model
        if info.tokens and (used := info.tokens.input + info.tokens.cache.read):
            self.status["contextTokens"] = int(used + info.tokens.output)

    def _of_part(self, part: PartData) -> list[Block]:
        if part.type == "tool":
            return _call(part)
        if part.type == "reasoning":
            return [Block("thinking", part.text)] if part.text else []
        if part.type == "file":
            return [Block("text", f"[{part.filename or 'file'}]")]
        if part.type == "text":
            # The CLI adds what it read of a file in the user's name.
            return [Block("text", part.text)] if part.text and not part.synthetic else []
        if part.type not in _SILENT:
            self.skipped.unknown("a part of type", part.type)
        return []


def _is_answer(info: MessageData, origin: str | None) -> bool:
    return info.role == "assistant" and origin is None


def _cancelled(block: Block) -> Block:
    return replace(block, status=CANCELLED) if block.status == PENDING else block


def _call(part: PartData) -> list[Block]:
    """Return the call once the model has written it, and its result once it has one."""
    state = part.state
    if state.status == "pending" and not state.input:
        return []
    arguments = state.input if isinstance(state.input, dict) else {"input": state.input}
    status = _STATUS.get(state.status, PENDING)
    text = str((state.error if status == ERROR else state.output) or "")
    if status == ERROR and text.startswith(_REFUSED):
        status = CANCELLED
    metadata = state.metadata if isinstance(state.metadata, dict) else {}
    if status == SUCCESS and metadata.get("exit") is None and _STOPPED.search(text):
        status = CANCELLED
    diff = metadata.get("diff")
    diff = diff if isinstance(diff, str) and diff else None
    call = Block("tool_use", "", part.call, part.tool, arguments, status, diff)
    if status == PENDING:
        return [call]
    return [call, Block("tool_result", text, part.call, part.tool, None, status, diff)]
