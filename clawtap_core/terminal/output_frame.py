"""Tell from a pane's output whether its program has more of a frame to write.

A screen captured then may show half a label. Two signs say so: a synchronized update that was begun
and not ended, and a piece of output as large as the pieces into which Linux cuts a long write.
"""

from __future__ import annotations

from clawtap_core.terminal.control_parser import Notice

# Bytes that Linux passes on at once when a program writes more.
PIECE = 2048
# Pieces that arrive within this many seconds may be one that tmux divided.
_AT_ONCE = 0.002
# tmux writes bytes below the space, and the backslash, as three octal digits.
_SYNCHRONIZED = b"\\033[?2026"
_LINE_END = b"\\015\\012"


def output_data(notice: Notice) -> bytes:
    """Return the data of an `%output` or `%extended-output`, with tmux's escapes."""
    if notice.name == "output":
        return notice.rest.partition(b" ")[2]
    return notice.rest.partition(b" : ")[2]


class OutputFrame:
    """The frame that a program is writing, as far as its output shows it."""

    def __init__(self) -> None:
        self._updating = False
        self._tail = b""
        self._size = self._line_ends = 0
        self._last = float("-inf")

    def feed(self, data: bytes, now: float) -> bool:
        """Take in a piece of output; return True if more of its frame should follow."""
        joined = self._tail + data
        self._tail = data[-len(_SYNCHRONIZED) :]
        if (mark := joined.rfind(_SYNCHRONIZED)) >= 0:
            following = joined[mark + len(_SYNCHRONIZED) :][:1]
            # A mark that is cut at its last letter counts with the next piece.
            self._updating = following == b"h" if following else self._updating
        size, line_ends = len(data) - 3 * data.count(b"\\"), data.count(_LINE_END)
        together = now - self._last < _AT_ONCE
        self._size, self._line_ends = (
            (self._size + size, self._line_ends + line_ends) if together else (size, line_ends)
        )
        self._last = now
        return (
            self._updating
            or _fills_pieces(size, line_ends)
            or _fills_pieces(self._size, self._line_ends)
        )


def _fills_pieces(size: int, line_ends: int) -> bool:
    # Linux counts before it turns newlines into line ends of two bytes; where it reads up to 4095
    # bytes at once, one byte is left over.
    full = (size + 1) // PIECE * PIECE
    return full > 0 and size - line_ends <= full
