"""Messages and events from the records of a rollout."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Any

import msgspec

from clawtap_codex.text import USAGE_LIMIT_TEXT
from clawtap_codex.transcript import records
from clawtap_codex.transcript.records import Compaction, Event, Failure, Item, Line
from clawtap_codex.transcript.sources import user_text
from clawtap_core import CANCELLED, ERROR, SUCCESS, AgentEvent, Block, Message, Parsed, hookimpl
from clawtap_core.transcripts.api_error import error_code
from clawtap_core.transcripts.conversation_builder import (
    COMPACTED,
    ConversationBuilder,
    read_lines,
    tool_call,
)
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_core.transcripts.usage_limit import limit_reached, time_in

_UPDATE, _ADD = "*** Update File: ", "*** Add File: "
_DELETE, _MOVE = "*** Delete File: ", "*** Move to: "
_ADDRESS = re.compile(r"https?://\S+")
_RATE_LIMITED = ("rate_limit", "usage limit", "usage_limit")
_NO_ANSWER = "the turn ended without an answer; the terminal shows why"
_INTERRUPTED = "The turn was interrupted"
_WHICH_RAN = "; Codex does not say which of its cancelled calls had run"
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)
_ABORTED = re.compile(r"^aborted by user|^Rejected\(", re.MULTILINE)
# What the model writes around a plan is meant for the CLI.
_PLAN_TAG = re.compile(r"^</?proposed_plan>\n?", re.MULTILINE)
_HEADER_LENGTH = 2000
_MOST_SAID = 1000  # messages of the user, to which one may go back
_FAILURE_TEXTS = (
    "exec_command failed",
    "apply_patch verification failed",
    "unsupported call",
    "failed to parse",
)
_IGNORED = frozenset(
    ("session_meta", "world_state", "token_usage_record", "retained_context", "ghost_snapshot")
)


@hookimpl
def parse_transcript(data: bytes, state: Any) -> Parsed:
    """Parse the new lines into one message for each text, thought and call."""
    parser = _RecordParser(state)
    consumed = read_lines(
        data, lambda raw: parser.take(records.line.decode(raw), raw), parser.skipped.broken
    )
    conversation, skipped = parser.conversation, parser.skipped
    return Parsed(
        consumed,
        (conversation.state, parser.said),
        conversation.messages,
        tuple(parser.events()),
        skipped.total(),
        skipped,
        removed_from=conversation.removed_from,
    )


class _RecordParser:
    def __init__(self, state: Any) -> None:
        messages: tuple[Message, ...]
        self.said: tuple[str, ...]
        messages, self.said = state or ((), ())
        self.conversation = ConversationBuilder(messages)
        self.skipped = SkipCounts()
        self._status: dict[str, Any] = {}
        self._errors: list[AgentEvent] = []

    def events(self) -> list[AgentEvent]:
        status = [AgentEvent("status_update", self._status)] if self._status else []
        return [*self._errors, *status]

    def take(self, line: Line, raw: bytes) -> None:
        if line.type == "response_item":
            self._item(line, records.item.decode(line.payload), raw)
        elif line.type == "event_msg":
            self._event(line, records.event.decode(line.payload), raw)
        elif line.type == "turn_context":
            self._status["model"] = records.context.decode(line.payload).model
        elif line.type == "compacted":
            self._compacted(line, raw, records.compaction.decode(line.payload))
        elif line.type not in _IGNORED:
            self.skipped.unknown("a record of type", line.type)

    def _item(self, line: Line, item: Item, raw: bytes) -> None:
        if item.type == "message":
            if item.role == "assistant":
                self._say(line, item, raw, "text", item.content)
        elif item.type == "reasoning":
            self._say(line, item, raw, "thinking", item.summary)
        elif item.type.endswith("_call_output"):
            text = _text(item.output)
            self.conversation.result(item.call_id or "", text, _status(text))
        elif item.type.endswith("_call"):
            self._call(line, item, raw)
        elif item.type not in _IGNORED:
            self.skipped.unknown("an item of type", item.type)

    def _compacted(self, line: Line, raw: bytes, compaction: Compaction) -> None:
        # 0.116 writes an event of it, too. The summary was asked of the model, and stands there as
        # its last answer.
        last = next(iter(self.conversation.state[-1:]), None)
        if last and last.role == "assistant" and _ends_with(compaction.message, last):
            notice = replace(
                last, role="system", content=(Block("text", COMPACTED),), notice="compaction"
            )
            self.conversation.replace(notice)
        else:
            self._notice(line, raw, COMPACTED, "compaction")

    def _say(
        self, line: Line, item: Item, raw: bytes, kind: str, pieces: list[records.Text] | None
    ) -> None:
        text = "\n\n".join(piece.text for piece in pieces or () if piece.text.strip())
        text = _PLAN_TAG.sub("", text).strip("\n")
        if text:
            block = Block(kind, text)
            self.conversation.add_message(
                item.id or _record_id(raw), "assistant", [block], at=line.timestamp
            )

    def _call(self, line: Line, item: Item, raw: bytes) -> None:
        call_id = item.call_id or item.id or _record_id(raw)
        name = item.name or item.type.removesuffix("_call")
        tool = f"{item.namespace}__{name}" if item.namespace else name
        block = tool_call(call_id, tool, _arguments(item), unified_diff(item.input))
        self.conversation.add_message(call_id, "assistant", [block], at=line.timestamp)
        if not item.name:
            # A tool that runs at the provider has no output record.
            self.conversation.result(call_id, "", SUCCESS)

    def _event(self, line: Line, event: Event, raw: bytes) -> None:
        if text := user_text(event):
            name = event.item.id if event.item else _record_id(raw)
            self.conversation.add_message(name, "user", [Block("text", text)], at=line.timestamp)
            self.said = (*self.said, name)[-_MOST_SAID:]
        elif event.type == "thread_rolled_back" and event.turns > 0:
            # 0.116 goes on in the same file; what was said before reading began is not held.
            gone = self.said[-event.turns :] if event.turns <= len(self.said) else ("",)
            self.conversation.remove_from(gone[0])
            self.said = self.said[: -event.turns]
        elif event.type == "token_count" and event.info and event.info.last_token_usage:
            self._token_count(event.info, event.info.last_token_usage)
        elif event.type == "task_started":
            # A CLI that was killed has written no end of its calls.
            self.conversation.cancel()
        elif event.type == "turn_aborted":
            self.conversation.cancel()
            self._notice(line, raw, self._interruption(), "interrupted")
        elif event.type == "error":
            self._failure(line, raw, Failure(event.message, event.error_info))
        elif event.type == "task_complete" and event.error:
            # 0.169 writes no record of its own for an error.
            self._failure(line, raw, event.error)
        elif event.type == "task_complete" and event.answer is None:
            # 0.116 writes down no error at all. A plan has no answer either, but ends with a text.
            last = self.conversation.state[-1:]
            if last and (last[0].role == "user" or last[0].content[-1].type == "tool_result"):
                self._failure(line, raw, Failure(_NO_ANSWER))

    def _interruption(self) -> str:
        # Every open call ends with the same words, also one that was allowed and ran: 0.169 reports
        # no command as ended while a prompt is open.
        calls = [block for message in self.conversation.state[-2:] for block in message.content]
        cut_off = [call for call in calls if call.type == "tool_use" and call.status == CANCELLED]
        return _INTERRUPTED if len(cut_off) < 2 else _INTERRUPTED + _WHICH_RAN

    def _failure(self, line: Line, raw: bytes, failure: Failure) -> None:
        text = _failure_text(failure.message)
        self._notice(line, raw, text, "error")
        if failure.info == "usage_limit_exceeded" or USAGE_LIMIT_TEXT.match(text):
            self._errors.append(limit_reached(text, time_in(text, line.timestamp)))
            return
        # An address may hold any number, which is no status.
        info = msgspec.json.encode(failure.info).decode()
        words = _ADDRESS.sub("", f"{failure.message} {info}")
        code = error_code(words, rate_limited=_RATE_LIMITED, not_authorized=("unauthorized",))
        self._errors.append(AgentEvent("session_error", {"error": text, "code": code}))

    def _token_count(self, count: records.Count, usage: records.Usage) -> None:
        self._status["contextTokens"] = usage.total_tokens
        self._status["contextWindow"] = count.model_context_window
        self._status["tokens"] = {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cacheRead": usage.cached_input_tokens,
        }

    def _notice(self, line: Line, raw: bytes, text: str, notice: str) -> None:
        block = Block("text", text)
        self.conversation.add_message(
            _record_id(raw), "system", [block], at=line.timestamp, notice=notice
        )


def _ends_with(text: str, message: Message) -> bool:
    """Return True if a text ends with the only words of a message."""
    said = message.content[0].text.strip() if len(message.content) == 1 else ""
    return bool(said) and text.rstrip().endswith(said)


def _record_id(raw: bytes) -> str:
    # The same wherever parsing began.
    return hashlib.blake2b(raw, digest_size=9).hexdigest()


def _arguments(item: Item) -> Any:
    if not item.arguments:
        return item.input or item.action or {}
    try:
        return records.anything.decode(item.arguments)
    except msgspec.MsgspecError:
        return item.arguments


def _text(output: Any) -> str:
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        pieces = [piece.get("text") for piece in output if isinstance(piece, dict)]
        return "\n".join(str(text) for text in pieces if text)
    return "" if output is None else msgspec.json.encode(output).decode()


def _status(text: str) -> str:
    # The CLI writes the outcome into a header above the output.
    text = text[:_HEADER_LENGTH]
    if _ABORTED.search(text):
        return CANCELLED
    found = _EXIT.search(text)
    if (found and found[1] != "0") or text.startswith(_FAILURE_TEXTS):
        return ERROR
    return SUCCESS


def _failure_text(message: str) -> str:
    # The CLI passes on the whole JSON of a response; the provider's own words are in it.
    try:
        response = records.anything.decode(message)
    except msgspec.MsgspecError:
        return message
    error = response.get("error") if isinstance(response, dict) else None
    text = error.get("message") if isinstance(error, dict) else None
    return text if isinstance(text, str) and text else message


def unified_diff(patch: str) -> str | None:
    """Convert Codex's patch format to a unified diff, or return None for other text."""
    if "*** Begin Patch" not in patch:
        return None
    # A file may hold characters at which Python would end a line, too.
    lines = (line.removesuffix("\r") for line in patch.removesuffix("\n").split("\n"))
    diff: list[str] = []
    for line in lines:
        if line.startswith(_MOVE) and diff and diff[-1].startswith("+++ "):
            diff.pop()
        diff += _line(line)
    return "\n".join(diff) + "\n" if diff else None


def _line(line: str) -> list[str]:
    if line.startswith(_UPDATE):
        return [f"--- {line[len(_UPDATE) :]}", f"+++ {line[len(_UPDATE) :]}"]
    if line.startswith(_ADD):
        return ["--- /dev/null", f"+++ {line[len(_ADD) :]}", "@@"]
    if line.startswith(_DELETE):
        return [f"--- {line[len(_DELETE) :]}", "+++ /dev/null"]
    if line.startswith(_MOVE):
        return [f"+++ {line[len(_MOVE) :]}"]
    return [] if line.startswith("***") else [line]
