"""Commands in tmux's command language, quoted so that no byte of an argument means anything."""

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
        """Return what to send, so that tmux prints the nonce with a number after each command.

        The last number comes on a line of its own: a command that fails ends its line.
        """
        told = [b"display-message -p %s.%d" % (nonce, at + 1) for at in range(len(self.parts))]
        pairs = zip(self.parts, told, strict=True)
        inside = b" ; ".join(b" ; ".join(pair) for pair in pairs).removesuffix(b" ; " + told[-1])
        return b"%s\n%s\n" % (inside, told[-1])


_MEANINGFUL = re.compile(rb"[^A-Za-z0-9 ,./:=@_-]")


def quote(argument: str) -> bytes:
    """One argument as a string of tmux's language.

    Every byte that could mean something, in any version and at any place of a string (a tilde
    at its start is a home folder), is written as an octal escape.
    """
    data = argument.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise ValueError("tmux takes no NUL character")
    return b'"' + _MEANINGFUL.sub(lambda match: b"\\%03o" % match[0][0], data) + b'"'


def line(*commands: Command) -> Line:
    """Commands as one line for control mode; tmux runs them without anything in between."""
    return Line(tuple(b" ".join(map(quote, command)) for command in commands))


def literal_format(text: str) -> str:
    """Text for an argument that tmux expands as a format, so that it comes out as it is.

    `##` is a `#`, except before a bracket, where tmux leaves every `#` alone.
    """
    return re.sub(r"#+(?!#|\[)", lambda match: match[0] * 2, text)
