"""Reading control mode, without I/O: bytes in, replies and notices out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """What one command printed. `ours`: it came over this client's own input."""

    lines: tuple[bytes, ...]
    failed: bool
    ours: bool


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened, like "window-close" with "@3"; a name of "" is plain text."""

    name: str
    rest: bytes = b""

    @property
    def subject(self) -> str:
        """The first word after the name: a pane, window or session."""
        return self.rest.split(b" ", 1)[0].decode("utf-8", "replace")


class ControlParser:
    """Turns the output of a `tmux -C` client into blocks and notices, however it is cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._head: bytes | None = None
        self._lines: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[Block | Notice]:
        """What became complete by these bytes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if item := self._inside(line) if self._head is not None else self._outside(line):
                yield item

    def _inside(self, line: bytes) -> Block | None:
        # A pane may show "%end ..." itself: only the numbers of the %begin end a block.
        if line not in (b"%end " + (self._head or b""), b"%error " + (self._head or b"")):
            self._lines.append(line)
            return None
        block = Block(
            tuple(self._lines),
            failed=line.startswith(b"%error"),
            ours=(self._head or b"").rsplit(b" ", 1)[-1] == b"1",
        )
        self._head, self._lines = None, []
        return block

    def _outside(self, line: bytes) -> Notice | None:
        if not line.startswith(b"%"):
            return Notice("", line) if line else None
        name, _, rest = line[1:].partition(b" ")
        if name == b"begin":
            self._head = rest
            return None
        return Notice(name.decode("utf-8", "replace"), rest)
