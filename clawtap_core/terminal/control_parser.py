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
        # What is not read yet, from the newline before it.
        self._rest = b"\n"
        self._ends: tuple[bytes, bytes] | None = None

    def feed(self, data: bytes) -> Iterator[Block | Notice]:
        """What became complete by these bytes."""
        self._rest += data
        at = 0
        while (found := self._next(at)) is not None:
            item, at = found
            if item:
                yield item
        self._rest = self._rest[at:]

    def _next(self, at: int) -> tuple[Block | Notice | None, int] | None:
        if self._ends is not None:
            return self._block(at, *self._ends)
        if (end := self._rest.find(b"\n", at + 1)) < 0:
            return None
        return self._notice(self._rest[at + 1 : end]), end

    def _block(self, at: int, well: bytes, ill: bytes) -> tuple[Block, int] | None:
        end, failed = self._rest.find(well, at), False
        if end < 0:
            end, failed = self._rest.find(ill, at), True
        if end < 0:
            return None
        lines = self._rest[at + 1 : end].split(b"\n") if end > at else ()
        token = ill if failed else well
        self._ends = None
        return Block(tuple(lines), failed=failed, ours=token[-2:-1] == b"1"), end + len(token) - 1

    def _notice(self, line: bytes) -> Notice | None:
        if not line.startswith(b"%"):
            return Notice("", line) if line else None
        name, _, rest = line[1:].partition(b" ")
        if name == b"begin":
            # A pane may show "%end ..." itself: only the numbers of this line end the block.
            self._ends = b"\n%end " + rest + b"\n", b"\n%error " + rest + b"\n"
            return None
        return Notice(name.decode("utf-8", "replace"), rest)
