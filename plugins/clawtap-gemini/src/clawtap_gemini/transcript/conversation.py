"""From records to messages. A record with a known id replaces that.

After a refusal newer versions append the whole history once more in another form, with new ids
and without the calls' outcomes, then a `$set` with that list: none of it is new, and it is left.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from clawtap_core.transcripts.conversation_builder import ConversationBuilder, tool_call
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_gemini.transcript import records
from clawtap_gemini.transcript.records import Call, Record
from clawtap_gemini.transcript.sources import CONTEXT

_STATUS = {"success": SUCCESS, "error": ERROR, "cancelled": CANCELLED}
_MOMENT = timedelta(seconds=2)
_NOTICES = {"error": "error", "warning": "info"}


@dataclass(frozen=True, slots=True)
class Noted:
    """How far a reading came. `first`: nothing was read yet. `begun`: the file's first record was,
    and no message yet. `again`: the moment from which on records repeat the history, until a
    `$set` ends that."""

    talk: tuple[Message, ...] = ()
    first: bool = True
    begun: bool = False
    again: datetime | None = None


class ParsedPrompt:
    """Records, read one after the other; it goes on from what was noted before."""

    def __init__(self, noted: Noted | None) -> None:
        noted = noted or Noted()
        self.skipped = SkipCounts()
        self._talk = ConversationBuilder(noted.talk)
        self._first, self._begun = noted.first, noted.begun
        self._again = noted.again
        self._status: dict[str, Any] = {}
        self._errors: list[AgentEvent] = []

    def parsed(self, consumed: int) -> Parsed:
        """What the records gave that were read since."""
        status = [AgentEvent("status_update", self._status)] if self._status else []
        talk = self._talk
        noted = Noted(talk.state, self._first, self._begun, self._again)
        told, skipped = (*self._errors, *status), self.skipped
        return Parsed(consumed, noted, talk.messages, told, skipped.total(), skipped)

    def line(self, data: bytes | msgspec.Raw) -> None:
        """Read one record."""
        try:
            self._take(records.record.decode(data))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self.skipped.broken()

    def _take(self, record: Record) -> None:
        if record.type:
            self._message(record)
        elif record.change:
            self._changed(record)
        elif record.session and record.started:
            # A resumed session writes its header once more, and then its history in short.
            self._begun = self._first
        else:
            self.skipped.unknown("a record without", "type")
        self._first = False

    def _history(self, messages: Iterable[Record]) -> None:
        for record in messages:
            self._message(record)

    def _changed(self, record: Record) -> None:
        messages = records.change.decode(record.change).messages
        if messages is not None:
            self._again = None
            if self._begun:
                self._history(messages)

    def _message(self, record: Record) -> None:
        if record.type == "user" and _opens(record.content):
            self._again = None if self._begun else record.timestamp
            if self._begun and not _text(record.content):
                return
        if self._repeated(record):
            return
        self._begun, self._again = False, None
        if record.type == "gemini":
            self._gemini(record)
        elif record.type == "user":
            self._user(record)
        elif record.type == "info":
            self._info(record)
        elif record.type in _NOTICES:
            self._told(record)
        else:
            self.skipped.unknown("a record of type", record.type)

    def _repeated(self, record: Record) -> bool:
        """Whether it belongs to the history that is written once more, all at one moment."""
        if self._again is None or record.timestamp is None:
            return False
        return record.timestamp - self._again < _MOMENT

    def _user(self, record: Record) -> None:
        for part in _parts(record.content):
            if isinstance(response := part.get("functionResponse"), dict):
                text, failed = _response(response)
                self._talk.result(str(response.get("id")), text, ERROR if failed else SUCCESS)
        if (text := _text(record.content)).strip():
            self._talk.replace(Message(record.id, "user", (Block("text", text),), record.timestamp))

    def _gemini(self, record: Record) -> None:
        thoughts = [Block("thinking", _thought(each)) for each in record.thoughts or ()]
        text = _text(record.content)
        said = [Block("text", text)] if text.strip() else []
        calls = [block for call in record.calls or () for block in _call(call)]
        raw = [] if isinstance(record.content, str) else _raw_calls(record.content)
        if blocks := (*thoughts, *said, *calls, *raw):
            message = Message(record.id, "assistant", blocks, record.timestamp)
            self._talk.replace(message)
        if record.model:
            self._status["model"] = record.model
        if record.tokens:
            self._used(record.tokens)

    def _used(self, tokens: records.Tokens) -> None:
        self._status["contextTokens"] = tokens.total or tokens.input
        self._status["tokens"] = {
            "input": tokens.input,
            "output": tokens.output,
            "cacheRead": tokens.cached,
        }

    def _info(self, record: Record) -> None:
        text = _text(record.content)
        if text.startswith("Request cancelled"):
            self._talk.cancel()
            self._notice(record, text, "interrupted")

    def _told(self, record: Record) -> None:
        text, notice = _text(record.content), _NOTICES[record.type]
        self._notice(record, text, notice)
        if notice == "error":
            told = {"error": text, "code": _code(text)}
            self._errors.append(AgentEvent("session_error", told))

    def _notice(self, record: Record, text: str, notice: str) -> None:
        block = Block("text", text)
        self._talk.say(record.id, "system", [block], at=record.timestamp, notice=notice)


def _raw_calls(content: Any) -> list[Block]:
    return [
        tool_call(str(call.get("id")), str(call.get("name")), call.get("args"))
        for part in _parts(content)
        if isinstance(call := part.get("functionCall"), dict)
    ]


def _thought(thought: records.Thought) -> str:
    subject = f"**{thought.subject}**" if thought.subject else ""
    return "\n\n".join(filter(None, (subject, thought.description)))


def _parts(content: Any) -> list[dict[str, Any]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _opens(content: Any) -> bool:
    """Whether it begins a history: what the CLI tells the model of the place comes first."""
    first = content if isinstance(content, str) else next(iter(_parts(content)), {}).get("text")
    return isinstance(first, str) and first.lstrip().startswith(CONTEXT)


def _text(content: Any) -> str:
    """The words of a content, without what the CLI tells the model of the place."""
    if isinstance(content, str):
        return content
    pieces = [part.get("text") for part in _parts(content)]
    return "".join(
        text for text in pieces if isinstance(text, str) and not text.lstrip().startswith(CONTEXT)
    )


def _call(call: Call) -> list[Block]:
    status = _STATUS.get(call.status, ERROR)
    given = call.args if isinstance(call.args, dict) else {}
    use = Block("tool_use", "", call.id, call.name, given, status)
    texts = [
        _response(response)[0]
        for part in _parts(call.result)
        if isinstance(response := part.get("functionResponse"), dict)
    ]
    text = "\n".join(filter(None, texts)) or _text(call.result)
    return [use, Block("tool_result", text, call.id, call.name, None, status, _diff(call))]


def _response(response: dict[str, Any]) -> tuple[str, bool]:
    """What a tool gave, and whether that is an error."""
    given = response.get("response")
    if not isinstance(given, dict):
        return "", False
    if isinstance(error := given.get("error"), str):
        return error, True
    output = given.get("output")
    return (output, False) if isinstance(output, str) else (_encoded(given), False)


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _diff(call: Call) -> str | None:
    if b'"fileDiff"' not in bytes(call.shown):
        return None
    try:
        return records.edited.decode(call.shown).diff
    except msgspec.MsgspecError:
        return None


def _code(text: str) -> str:
    told = text.lower()
    if "429" in told or "quota" in told or "rate limit" in told or "resource_exhausted" in told:
        return "rate_limited"
    if "401" in told or "403" in told or "api key" in told:
        return "not_authorized"
    return "api_error"
