"""Turn the records of a session file into a conversation.

A record replaces an earlier one with the same id. After a refusal newer versions append the whole
history again in another form, with new ids and without the results of the calls, and then a `$set`
with that list: none of it is new, and all of it is passed over. Where reading begins in the middle
of such a history, only the list tells that, and what was read of it is removed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
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
)
from clawtap_core.transcripts.api_error import error_code
from clawtap_core.transcripts.conversation_builder import ConversationBuilder, tool_call
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_core.transcripts.usage_limit import limit_reached
from clawtap_gemini.transcript import records
from clawtap_gemini.transcript.records import Call, Record
from clawtap_gemini.transcript.sources import CONTEXT, is_own_message

_STATUS = {"success": SUCCESS, "error": ERROR, "cancelled": CANCELLED}
LIMIT = re.compile("exceeded your current quota|exhausted your daily quota")
_ONE_MOMENT = timedelta(seconds=2)
_NOTICES = {"error": "error", "warning": "info"}


@dataclass(frozen=True, slots=True)
class ReadingState:
    """Where a reading stopped.

    `at_start`: nothing was read yet. `after_header`: the file's first record was read, and no
    message yet. `repeats_since`: when the CLI began to write the history again; a `$set` ends it.
    `first_id`: the first record's, while it may be of a history whose beginning was not read.
    """

    messages: tuple[Message, ...] = ()
    at_start: bool = True
    after_header: bool = False
    repeats_since: datetime | None = None
    first_id: str = ""


class RecordReader:
    """Reads records one after the other, from where an earlier reading stopped."""

    def __init__(self, state: ReadingState | None) -> None:
        state = state or ReadingState()
        self.skipped = SkipCounts()
        self._conversation = ConversationBuilder(state.messages)
        self._at_start, self._after_header = state.at_start, state.after_header
        self._repeats_since = state.repeats_since
        self._first_id = state.first_id
        self._status: dict[str, Any] = {}
        self._errors: list[AgentEvent] = []

    def parsed(self, consumed: int) -> Parsed:
        """Return what the records gave."""
        status = [AgentEvent("status_update", self._status)] if self._status else []
        conversation = self._conversation
        state = ReadingState(
            conversation.state,
            self._at_start,
            self._after_header,
            self._repeats_since,
            self._first_id,
        )
        events, skipped = (*self._errors, *status), self.skipped
        return Parsed(
            consumed,
            state,
            conversation.messages,
            events,
            skipped.total(),
            skipped,
            removed_from=conversation.removed_from,
        )

    def line(self, data: bytes | msgspec.Raw) -> None:
        """Read one record."""
        try:
            self._record(records.record.decode(data))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self.skipped.broken()

    def _record(self, record: Record) -> None:
        if record.type:
            self._message(record)
        elif record.change:
            self._change(record)
        elif record.rewind_to:
            self._conversation.remove_from(record.rewind_to)
        elif record.session and record.started:
            # A resumed session writes its header again, and then a shortened history.
            self._after_header, self._first_id = self._at_start, ""
        else:
            self.skipped.unknown("a record without", "type")
        self._at_start = False

    def _change(self, record: Record) -> None:
        change = records.change.decode(record.change)
        if change.summary:
            self._status["summary"] = change.summary
        if change.messages is not None:
            self._repeats_since = None
            if self._after_header:
                for record in change.messages:
                    self._message(record)
            elif self._first_id in {record.id for record in change.messages if record.id}:
                self._conversation.remove_from(self._first_id)
        if change.session:
            # What a resumed session said stands above, perhaps before where reading began.
            self._after_header = False
        if change.messages is not None or change.session:
            self._first_id = ""  # a resumed session names itself, and lists what it said

    def _message(self, record: Record) -> None:
        if self._at_start:
            self._first_id = record.id
        if record.type == "user" and _opens_history(record.content):
            self._first_id = ""
            self._repeats_since = None if self._after_header else record.timestamp
            if self._after_header and not _text(record.content):
                return
        # A repeated history is written in one moment.
        since = self._repeats_since
        if since and record.timestamp and record.timestamp - since < _ONE_MOMENT:
            return
        self._after_header, self._repeats_since = False, None
        if record.type == "gemini":
            self._gemini(record)
        elif record.type == "user":
            self._user(record)
        elif record.type == "info":
            text = _text(record.content)
            if text.startswith("Request cancelled"):
                self._conversation.cancel()
                self._notice(record, text, "interrupted")
        elif record.type in _NOTICES:
            self._notification(record)
        else:
            self.skipped.unknown("a record of type", record.type)

    def _user(self, record: Record) -> None:
        for part in _parts(record.content):
            if isinstance(response := part.get("functionResponse"), dict):
                text, failed = _response(response)
                self._conversation.result(
                    str(response.get("id")), text, ERROR if failed else SUCCESS
                )
        text = _text(record.content if record.shown is None else record.shown)
        if is_own_message(text):
            self._notice(record, text, "info")
        elif text.strip():
            self._conversation.replace(
                Message(record.id, "user", (Block("text", text),), record.timestamp)
            )

    def _gemini(self, record: Record) -> None:
        thoughts = [Block("thinking", _thought(each)) for each in record.thoughts or ()]
        text = _text(record.content)
        words = [Block("text", text)] if text.strip() else []
        calls = [block for call in record.calls or () for block in _call(call)]
        raw = [
            tool_call(str(call.get("id")), str(call.get("name")), call.get("args"))
            for part in _parts(record.content)
            if isinstance(call := part.get("functionCall"), dict)
        ]
        if blocks := (*thoughts, *words, *calls, *raw):
            message = Message(record.id, "assistant", blocks, record.timestamp)
            self._conversation.replace(message)
        if record.model:
            self._status["model"] = record.model
        if tokens := record.tokens:
            self._status["contextTokens"] = tokens.total or tokens.input
            self._status["tokens"] = {
                "input": tokens.input,
                "output": tokens.output,
                "cacheRead": tokens.cached,
            }

    def _notification(self, record: Record) -> None:
        text, notice = _text(record.content), _NOTICES[record.type]
        self._notice(record, text, notice)
        if notice == "error" and LIMIT.search(text):
            self._errors.append(limit_reached(text, None))  # it writes down no time
        elif notice == "error":
            data = {
                "error": text,
                "code": error_code(text, rate_limited=("quota", "resource_exhausted")),
            }
            self._errors.append(AgentEvent("session_error", data))

    def _notice(self, record: Record, text: str, notice: str) -> None:
        block = Block("text", text)
        self._conversation.add_message(
            record.id, "system", [block], at=record.timestamp, notice=notice
        )


def _thought(thought: records.Thought) -> str:
    subject = f"**{thought.subject}**" if thought.subject else ""
    return "\n\n".join(filter(None, (subject, thought.description)))


def _parts(content: Any) -> list[dict[str, Any]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _opens_history(content: Any) -> bool:
    # A history begins with the CLI's description of the folder.
    first = content if isinstance(content, str) else next(iter(_parts(content)), {}).get("text")
    return isinstance(first, str) and first.lstrip().startswith(CONTEXT)


def _text(content: Any) -> str:
    # The CLI's description of the folder is left out.
    if isinstance(content, str):
        return content
    pieces = [part.get("text") for part in _parts(content)]
    return "".join(
        text for text in pieces if isinstance(text, str) and not text.lstrip().startswith(CONTEXT)
    )


def _call(call: Call) -> list[Block]:
    status = _STATUS.get(call.status, ERROR)
    arguments = call.args if isinstance(call.args, dict) else {}
    use = Block("tool_use", "", call.id, call.name, arguments, status)
    texts = [
        _response(response)[0]
        for part in _parts(call.result)
        if isinstance(response := part.get("functionResponse"), dict)
    ]
    text = "\n".join(filter(None, texts)) or _text(call.result)
    return [use, Block("tool_result", text, call.id, call.name, None, status, _diff(call))]


def _response(response: dict[str, Any]) -> tuple[str, bool]:
    """Return what a tool returned, and whether that is an error."""
    content = response.get("response")
    if not isinstance(content, dict):
        return "", False
    if isinstance(error := content.get("error"), str):
        return error, True
    output = content.get("output")
    return (output if isinstance(output, str) else msgspec.json.encode(content).decode()), False


def _diff(call: Call) -> str | None:
    if b'"fileDiff"' not in bytes(call.shown):
        return None
    try:
        return records.edited.decode(call.shown).diff
    except msgspec.MsgspecError:
        return None
