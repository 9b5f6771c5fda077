"""Read one JSON object per line from bytes split anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

LONGEST = 32 * 2**20
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that could not be read: why, and how it begins."""

    why: str
    beginning: str


class JsonLines:
    """Split a stream into objects, one per line, reporting broken lines.

    A line longer than `longest` bytes is dropped as it arrives, to bound the memory.
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[Mapping[str, Any] | BrokenLine]:
        """Yield the lines that these bytes complete; b"" ends the stream."""
        pieces = data.split(b"\n") if data else [b"", b""]
        for piece in pieces[:-1]:
            self._keep(piece)
            if (read := self._line()) is not None:
                yield read
        self._keep(pieces[-1])

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if piece and self._size <= self._longest:
            self._parts.append(piece)

    def _line(self) -> Mapping[str, Any] | BrokenLine | None:
        line, size = b"".join(self._parts), self._size
        self._parts, self._size = [], 0
        if size > self._longest:
            return BrokenLine(f"a line of {size} bytes is too long", _beginning(line))
        return read_line(line) if line.strip() else None


def read_line(line: bytes) -> Mapping[str, Any] | BrokenLine:
    """Parse the object on one line."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BrokenLine(f"not JSON: {error}", _beginning(line))
    if not isinstance(message, dict):
        return BrokenLine("not a JSON object", _beginning(line))
    return message


def json_line(message: Mapping[str, Any]) -> bytes:
    """Return one object as a line."""
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def _beginning(line: bytes) -> str:
    return line[:_SHOWN].decode("utf-8", "replace")
