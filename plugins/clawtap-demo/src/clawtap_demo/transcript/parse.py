"""New bytes of a transcript as messages."""

from __future__ import annotations

from collections.abc import Mapping

from clawtap_core import CANCELLED, SUCCESS, Block, Message, Parsed, hookimpl
from clawtap_core.transcripts.conversation_builder import read_lines
from clawtap_core.transcripts.skip_counts import SkipCounts
from clawtap_demo.transcript import records
from clawtap_demo.transcript.records import Record

_ROLES = {records.USER: "user", records.REFUSED: "system", records.DONE: "system"}
_NOTICES = {records.REFUSED: "interrupted", records.DONE: "info"}
_CALLS = {
    "Not run: ": ("Shell", "command", CANCELLED),
    "Edited: ": ("Edit", "path", SUCCESS),
    "Not edited: ": ("Edit", "path", CANCELLED),
}


@hookimpl
def parse_transcript(data: bytes) -> Parsed:
    """Return a message for each line."""
    messages: list[Message] = []
    skipped = SkipCounts()

    def take(line: bytes) -> None:
        record = records.decode(line)
        if not record.mark:
            return
        if blocks := _call_blocks(record):
            messages.append(Message(str(record.id), "assistant", blocks, record.at))
            return
        kind = "thinking" if record.mark == records.THINKING else "text"
        role, notice = _ROLES.get(record.mark, "assistant"), _NOTICES.get(record.mark)
        block = Block(kind, record.text)
        messages.append(Message(str(record.id), role, (block,), record.at, notice))

    consumed = read_lines(data, take, skipped.broken)
    return Parsed(consumed, messages=tuple(messages), skipped=skipped.total(), why=skipped)


def _call_blocks(record: Record) -> tuple[Block, ...]:
    if record.mark == records.TOOL:
        command, _, output = record.text.removeprefix("$ ").partition("\n")
        return _blocks(record, "Shell", {"command": command}, SUCCESS, output)
    for lead, (tool, name, status) in _CALLS.items():
        if record.text.startswith(lead):
            return _blocks(record, tool, {name: record.text.removeprefix(lead)}, status)
    return ()


def _blocks(
    record: Record, tool: str, tool_input: Mapping[str, str], status: str, output: str = ""
) -> tuple[Block, ...]:
    call = f"call-{record.id}"
    use = Block("tool_use", "", call, tool, tool_input, status)
    return use, Block("tool_result", output, call, tool, None, status)
