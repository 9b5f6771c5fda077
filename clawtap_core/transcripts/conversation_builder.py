"""Putting a conversation together from records: what an adapter's `parse_transcript` needs.

A message grows while records of it come; a tool's result goes next to its call, wherever that was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from clawtap_core.model import CANCELLED, PENDING, SUCCESS, Block, Message

OPEN, GROWING = 100, 4
"""So many messages whose calls wait for a result are remembered, and so many of the last."""


def lines(data: bytes) -> tuple[list[bytes], int]:
    """The complete lines that are not blank, and how many bytes all complete lines have."""
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


def tool_call(call_id: str, name: str, given: Any, diff: str | None = None) -> Block:
    """A tool call whose result is not known yet."""
    given = given if isinstance(given, dict) else {"input": given}
    return Block("tool_use", "", call_id, name, given, PENDING, diff)


class ConversationBuilder:
    """Messages as records make them. `state` is what the next reading goes on from."""

    def __init__(self, state: Sequence[Message] | None = None) -> None:
        self._open = {message.id: message for message in state or ()}
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
        """The messages that the user went back to before."""
        return tuple(self._removed_from)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What is new or changed, in the order in which it began."""
        return tuple(self._changed.values())

    @property
    def state(self) -> tuple[Message, ...]:
        """The messages that may still change: the last, and those with calls that wait."""
        waiting, last = set(self._calls.values()), list(self._open)[-GROWING:]
        kept = [name for name in self._open if name in waiting or name in last]
        return tuple(self._open[name] for name in kept[-OPEN:])

    def say(
        self,
        name: str,
        role: str,
        blocks: Iterable[Block],
        *,
        at: datetime | None = None,
        notice: str | None = None,
        origin: str | None = None,
    ) -> None:
        """A message, or more of one."""
        known = self._open.get(name)
        if known is None:
            new = tuple(blocks)
            self._keep(Message(name, role, new, at, notice, origin))
        elif new := tuple(block for block in blocks if not _same_call(known, block)):
            self._keep(_with(known, (*known.content, *new)))
        for block in new:
            if block.type == "tool_use" and block.status == PENDING and block.tool_call_id:
                self._calls[block.tool_call_id] = name

    def replace(self, message: Message) -> None:
        """A message as it is now, whatever was known of it."""
        self._keep(message)

    def result(self, call_id: str, text: str, status: str, diff: str | None = None) -> bool:
        """What came of a call; False when the call is not known here."""
        name = self._calls.pop(call_id, None)
        if name is None:
            return False
        content: list[Block] = []
        for block in self._open[name].content:
            if block.type == "tool_use" and block.tool_call_id == call_id:
                tool, given = block.tool_name, block.input
                content.append(Block("tool_use", "", call_id, tool, given, status, block.diff))
                shown = diff or (block.diff if status == SUCCESS else None)
                content.append(Block("tool_result", text, call_id, tool, None, status, shown))
            else:
                content.append(block)
        self._keep(_with(self._open[name], tuple(content)))
        return True

    def waits(self, call_id: str) -> bool:
        """Whether this call has no result yet."""
        return call_id in self._calls

    def cancel(self) -> None:
        """The turn was interrupted: calls without a result will get none."""
        for name in dict.fromkeys(self._calls.values()):
            content = tuple(
                replace(block, status=CANCELLED) if block.status == PENDING else block
                for block in self._open[name].content
            )
            self._keep(_with(self._open[name], content))
        self._calls.clear()

    def remove_from(self, name: str) -> None:
        """Remove a message and all after it: the user went back to before it."""
        order = list(self._open)
        for removed in order[order.index(name) :] if name in order else order:
            del self._open[removed]
            self._changed.pop(removed, None)
        self._calls = {call: owner for call, owner in self._calls.items() if owner in self._open}
        self._removed_from.append(name)

    def _keep(self, message: Message) -> None:
        self._open[message.id] = message
        self._changed[message.id] = message


def _with(message: Message, content: tuple[Block, ...]) -> Message:
    # `dataclasses.replace` takes four times as long, which counts in a long file.
    told = (message.at, message.notice, message.origin)
    return Message(message.id, message.role, content, *told)


def _same_call(message: Message, block: Block) -> bool:
    return block.type == "tool_use" and any(
        known.type == "tool_use" and known.tool_call_id == block.tool_call_id
        for known in message.content
    )
