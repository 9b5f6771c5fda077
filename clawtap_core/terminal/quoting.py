"""Quote commands in tmux's command language, so that no byte is special."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Command = Sequence[str]


@dataclass(frozen=True, slots=True)
class Line:
    """Commands for tmux, each quoted."""

    parts: tuple[bytes, ...]

    def framed(self, nonce: bytes) -> bytes:
        """Return the bytes to send: tmux prints the nonce and a number after each command."""
        marks = [b"display-message -p %s.%d" % (nonce, at + 1) for at in range(len(self.parts))]
        pairs = zip(self.parts, marks, strict=True)
        inside = b" ; ".join(b" ; ".join(pair) for pair in pairs).removesuffix(b" ; " + marks[-1])
        # The last number gets its own line, because a command that fails ends its line.
        return b"%s\n%s\n" % (inside, marks[-1])


_MEANINGFUL = re.compile(rb"[^A-Za-z0-9 ,./:=@_-]")


def quote(argument: str) -> bytes:
    """Return one argument as a string of tmux's language."""
    # Every byte that any version may treat as special, at any place of a string (a leading tilde
    # is a home folder), becomes an octal escape.
    data = argument.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise ValueError("tmux takes no NUL character")
    return b'"' + _MEANINGFUL.sub(lambda match: b"\\%03o" % match[0][0], data) + b'"'


def line(*commands: Command) -> Line:
    """Return commands as one line for control mode; tmux runs them without interruption."""
    return Line(tuple(b" ".join(map(quote, command)) for command in commands))


def literal_format(text: str) -> str:
    """Escape text for an argument that tmux expands as a format."""
    # `##` is a `#`, except before a bracket, where tmux leaves every `#` alone.
    return re.sub(r"#+(?!#|\[)", lambda match: match[0] * 2, text)
