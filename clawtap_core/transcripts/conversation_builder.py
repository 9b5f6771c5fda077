"""Building a conversation from records, for an adapter's `parse_transcript`.

A message grows as its records arrive; a tool's result is placed next to its call.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from clawtap_core.model import CANCELLED, PENDING, SUCCESS, Block, Message
from clawtap_core.model.ansi import plain

COMPACTED = "The conversation was compacted"  # the text of that notice, whatever the CLI
TITLE = 120  # characters of a conversation's title
OPEN = 100  # messages with pending calls that are remembered
GROWING = 4  # of the last messages, which may still grow


def lines(data: bytes) -> tuple[list[bytes], int]:
    """Return the complete lines that are not blank, and the length of all complete lines."""
    end = data.rfind(b"\n") + 1
    return [line for line in data[:end].split(b"\n") if line], end


def read_lines(data: bytes, take: Callable[[bytes], None], broken: Callable[[bytes], None]) -> int:
    """Call `take` with each complete line, `broken` with those that it cannot decode.

    Return how many bytes were read.
    """
    complete, consumed = lines(data)
    for line in complete:
        try:
            take(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            broken(line)
    return consumed


def title_of(text: str) -> str | None:
    """Return the title of a conversation that begins with this message; None for a blank one."""
    return " ".join(text.split())[:TITLE] or None


def tool_call(call_id: str, name: str, arguments: Any, diff: str | None = None) -> Block:
    """Return the block of a tool call that has no result yet."""
    arguments = arguments if isinstance(arguments, dict) else {"input": arguments}
    return Block("tool_use", "", call_id, name, arguments, PENDING, diff)


class ConversationBuilder:
    """A builder of messages; `state` continues from an earlier piece."""

    def __init__(self, state: Sequence[Message] | None = None) -> None:
        self._open = {message.id: message for message in state or ()}
        self._earlier = frozenset(self._open)
        self._calls = {
            block.tool_call_id: message.id
            for message in self._open.values()
            for block in message.content
            if block.type == "tool_use" and block.status == PENDING
        }
        self._changed: dict[str, Message] = {}
        self._removed_from: list[str] = []

    @property
    def removed_from(self) -> tuple[str, ...]:
        """Return the messages of earlier pieces that the user rewound to before."""
        return tuple(self._removed_from)

    @property
    def messages(self) -> tuple[Message, ...]:
        """Return the new and changed messages, in the order in which they began."""
        return tuple(self._changed.values())

    @property
    def state(self) -> tuple[Message, ...]:
        """Return the messages that may still change: the last, and those with pending calls."""
        waiting, last = set(self._calls.values()), list(self._open)[-GROWING:]
        kept = [name for name in self._open if name in waiting or name in last]
        return tuple(self._open[name] for name in kept[-OPEN:])

    def add_message(
        self,
        name: str,
        role: str,
        blocks: Iterable[Block],
        *,
        at: datetime | None = None,
        notice: str | None = None,
        origin: str | None = None,
    ) -> None:
        """Add a message, or more blocks to one."""
        if notice:
            # A notice is what the CLI showed on its screen, with its colours.
            blocks = [replace(block, text=plain(block.text)) for block in blocks]
        message = self._open.get(name)
        if message is None:
            new = tuple(blocks)
            self._keep(Message(name, role, new, at, notice, origin))
        elif new := tuple(block for block in blocks if not _same_call(message, block)):
            self._keep(_with(message, (*message.content, *new)))
        for block in new:
            if block.type == "tool_use" and block.status == PENDING and block.tool_call_id:
                self._calls[block.tool_call_id] = name

    def replace(self, message: Message) -> None:
        """Replace a message."""
        self._keep(message)

    def result(self, call_id: str, text: str, status: str, diff: str | None = None) -> bool:
        """Add the result of a call; return False if the call is unknown."""
        name = self._calls.pop(call_id, None)
        if name is None:
            return False
        content: list[Block] = []
        for block in self._open[name].content:
            if block.type == "tool_use" and block.tool_call_id == call_id:
                tool, arguments = block.tool_name, block.input
                content.append(Block("tool_use", "", call_id, tool, arguments, status, block.diff))
                shown = diff or (block.diff if status == SUCCESS else None)
                content.append(Block("tool_result", text, call_id, tool, None, status, shown))
            else:
                content.append(block)
        self._keep(_with(self._open[name], tuple(content)))
        return True

    def waits(self, call_id: str) -> bool:
        """Return True if this call has no result yet."""
        return call_id in self._calls

    def pending(self, call_id: str) -> Block | None:
        """Return a call that has no result yet."""
        message = self._open.get(self._calls.get(call_id, ""))
        blocks = message.content if message else ()
        return next((block for block in blocks if block.tool_call_id == call_id), None)

    def cancel(self, begun_in: Container[str] | None = None) -> None:
        """Cancel the pending calls of an interrupted turn, or only those of these messages."""
        for name in dict.fromkeys(self._calls.values()):
            if begun_in is None or name in begun_in:
                self._keep(with_calls_cancelled(self._open[name]))
                self._calls = {call: at for call, at in self._calls.items() if at != name}

    def remove_from(self, name: str) -> None:
        """Remove a message and all after it: the user rewound to before it."""
        order = list(self._open)
        began_here = name in self._open and name not in self._earlier
        for removed in order[order.index(name) :] if name in order else order:
            del self._open[removed]
            self._changed.pop(removed, None)
        self._calls = {call: owner for call, owner in self._calls.items() if owner in self._open}
        # A message that began in this piece was not reported before.
        if not began_here:
            self._removed_from.append(name)

    def _keep(self, message: Message) -> None:
        self._open[message.id] = message
        self._changed[message.id] = message


def with_calls_cancelled(message: Message) -> Message:
    """Return a message with its pending calls cancelled."""
    content = tuple(
        replace(block, status=CANCELLED) if block.status == PENDING else block
        for block in message.content
    )
    return _with(message, content) if content != message.content else message


def _with(message: Message, content: tuple[Block, ...]) -> Message:
    # `dataclasses.replace` takes four times as long, which counts in a long file.
    metadata = (message.at, message.notice, message.origin)
    return Message(message.id, message.role, content, *metadata)


def _same_call(message: Message, block: Block) -> bool:
    return block.type == "tool_use" and any(
        known.type == "tool_use" and known.tool_call_id == block.tool_call_id
        for known in message.content
    )
