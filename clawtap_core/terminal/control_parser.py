"""Parse control mode without I/O: bytes in, replies and notices out.

A pane may print anything, even tmux's own markers. So every line of commands is framed: after each
command tmux prints a nonce that no pane can know, and only output at a nonce counts as tmux's.
What a hook of the user prints after one of our commands stands between the blocks and is skipped.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

_BEGIN = re.compile(rb"%begin (\d+ \d+ 1)\n")
_OURS = b" 1"
_OF_HOOKS = re.compile(rb"(?:\n%begin (\d+ \d+ 0)\n(?:[^\n]*\n)*?%(?:end|error) \1(?=\n|\Z))*")


class Garbled(Exception):
    """tmux's output does not fit the commands; nothing after it can be trusted."""


@dataclass(frozen=True, slots=True)
class Block:
    """What one command printed. `ours`: it came over this client's input."""

    lines: tuple[bytes, ...]
    failed: bool
    ours: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What a framed line of commands printed; the last block `failed` if they stopped."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification, like "window-close" with "@3"; the name "" marks plain text."""

    name: str
    rest: bytes = b""

    @property
    def subject(self) -> str:
        """The first word after the name: a pane, window or session."""
        return self.rest.split(b" ", 1)[0].decode("utf-8", "replace")


class ControlParser:
    """Turn the output of a `tmux -C` client into answers and notices, however it is split."""

    def __init__(self) -> None:
        # Unread output, from the newline before it.
        self._rest = b"\n"
        self._ends: tuple[bytes, bytes] | None = None
        self._expected: deque[tuple[int, bytes]] = deque()
        self._searched = 0

    def expect(self, count: int, nonce: bytes) -> None:
        """Expect the answer to `count` commands framed by this nonce."""
        self._expected.append((count, nonce))

    def feed(self, data: bytes) -> Iterator[Answer | Block | Notice]:
        """Yield what these bytes complete; raise Garbled."""
        self._rest += data
        at = 0
        while (found := self._next(at)) is not None:
            item, at = found
            if item:
                yield item
        self._rest = self._rest[at:]
        self._searched = max(self._searched - at, 0)

    def _next(self, at: int) -> tuple[Answer | Block | Notice | None, int] | None:
        if self._ends is not None:
            return self._block(at, *self._ends)
        if (end := self._rest.find(b"\n", at + 1)) < 0:
            return None
        line = self._rest[at + 1 : end]
        if line.startswith(b"%begin ") and line.endswith(_OURS) and self._expected:
            return self._answer(at)
        return self._notice(line), end

    def _answer(self, at: int) -> tuple[Answer, int] | None:
        count, nonce = self._expected[0]
        closing = self._rest.find(mark(nonce, count), max(at, self._searched))
        if closing < 0:
            self._searched = max(at, len(self._rest) - len(nonce) - 16)
            return None
        last, after = self._frame(at, closing, len(mark(nonce, count)))
        if after is None:
            return None
        blocks: list[Block] = []
        for index in range(1, count + 1):
            between = self._rest.find(mark(nonce, index), at, last) if index < count else -1
            if between < 0:
                blocks.append(self._final(at, last))
                break
            end, following = self._frame(at, between, len(mark(nonce, index)))
            if following is None:
                raise Garbled
            blocks.append(self._exact(at, end))
            at = following
        if len(blocks) < count and not blocks[-1].failed:
            raise Garbled
        self._expected.popleft()
        return Answer(tuple(blocks)), after

    def _frame(self, start: int, nonce: int, length: int) -> tuple[int, int | None]:
        """Return the bounds of the block around a nonce; None while its end is missing."""
        begin = self._rest.rfind(b"\n", start, nonce)
        match = _BEGIN.fullmatch(self._rest[begin + 1 : nonce + 1])
        if begin < 0 or not match:
            raise Garbled
        end = b"%end " + match[1] + b"\n"
        at = nonce + length
        if len(self._rest) < at + len(end):
            return begin, None
        if not self._rest.startswith(end, at):
            raise Garbled
        return begin, at + len(end) - 1

    def _exact(self, at: int, end: int) -> Block:
        """Return the block from `at` to `end`, where the next one begins."""
        begin = self._begin(at)
        start, tail = begin.end() - 1, b"\n%end " + begin[1]
        # Text from a pane comes before the true end of its block, so the last match is the end.
        ended = self._rest.rfind(tail + b"\n", start, end + 1)
        if ended < 0 or not _OF_HOOKS.fullmatch(self._rest, ended + len(tail), end):
            raise Garbled
        return Block(self._lines(start, ended), failed=False, ours=True)

    def _final(self, at: int, end: int) -> Block:
        """Return the last block before `end`; only notices may follow it."""
        begin = self._begin(at)
        start = begin.end() - 1
        ended = self._rest.rfind(b"\n%end " + begin[1] + b"\n", start, end + 1)
        failed = self._rest.rfind(b"\n%error " + begin[1] + b"\n", start, end + 1)
        if max(ended, failed) < 0:
            raise Garbled
        return Block(self._lines(start, max(ended, failed)), failed=failed > ended, ours=True)

    def _begin(self, at: int) -> re.Match[bytes]:
        """Return the first line of the block that begins at `at`, or after what hooks printed."""
        hooks = _OF_HOOKS.match(self._rest, at)
        begin = _BEGIN.match(self._rest, (hooks.end() if hooks else at) + 1)
        if not begin:
            raise Garbled
        return begin

    def _lines(self, start: int, end: int) -> tuple[bytes, ...]:
        return tuple(self._rest[start + 1 : end].split(b"\n")) if end > start else ()

    def _block(self, at: int, good_end: bytes, bad_end: bytes) -> tuple[Block, int] | None:
        """Return a block that this client did not request, from attaching."""
        end, failed = self._rest.find(good_end, at), False
        if end < 0:
            end, failed = self._rest.find(bad_end, at), True
        if end < 0:
            return None
        token = bad_end if failed else good_end
        self._ends = None
        ours = token[-3:-1] == _OURS
        return Block(self._lines(at, end), failed=failed, ours=ours), end + len(token) - 1

    def _notice(self, line: bytes) -> Notice | None:
        if not line.startswith(b"%"):
            return Notice("", line) if line else None
        name, _, rest = line[1:].partition(b" ")
        if name == b"begin":
            self._ends = b"\n%end " + rest + b"\n", b"\n%error " + rest + b"\n"
            return None
        return Notice(name.decode("utf-8", "replace"), rest)


def mark(nonce: bytes, index: int) -> bytes:
    """Return the line, with its newlines, that tmux prints after this command."""
    return b"\n%s.%d\n" % (nonce, index)
