"""Commands in tmux's command language, quoted so that no byte of an argument means anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Command = Sequence[str]


@dataclass(frozen=True, slots=True)
class Line:
    """Commands as bytes for tmux, and how many they are."""

    data: bytes
    count: int


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
    parts = (b" ".join(map(quote, command)) for command in commands)
    return Line(b" ; ".join(parts) + b"\n", len(commands))


def literal_format(text: str) -> str:
    """Text for an argument that tmux expands as a format, so that it comes out as it is.

    `##` is a `#`, except before a bracket, where tmux leaves every `#` alone.
    """
    return re.sub(r"#+(?!#|\[)", lambda match: match[0] * 2, text)
