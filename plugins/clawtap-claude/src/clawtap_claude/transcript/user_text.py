"""Separate the user's words from what the CLI writes in the user's name."""

from __future__ import annotations

import re
from typing import Any

from clawtap_claude.transcript.records import Piece

INTERRUPTED = "[Request interrupted by user"
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_SHELL = re.compile(r"<bash-input>(.*?)</bash-input>", re.DOTALL)
_OUTPUT = re.compile(r"<((?:local-command|bash)-std(?:out|err))>(.*?)</\1>", re.DOTALL)
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)


def spoken(content: str | list[Piece]) -> tuple[str, str | None]:
    """Return the text, and the kind of notice if the CLI wrote it."""
    text = content if isinstance(content, str) else plain(content)
    if text.startswith(INTERRUPTED):
        return text.strip("[]\n"), "interrupted"
    if text.startswith("<task-notification>"):
        match = _SUMMARY.search(text)
        return match[1] if match else "A background task ended", "info"
    if shell := _SHELL.match(text):
        return f"!{shell[1]}", None
    if _OUTPUT.match(text):
        outputs = (output.strip() for _, output in _OUTPUT.findall(text))
        return "\n".join(filter(None, outputs)), "info"
    if command := _COMMAND.search(text[:2000]):
        arguments = _ARGUMENTS.search(text)
        return f"{command[1]} {arguments[1] if arguments else ''}".strip(), None
    return text, None


def plain(content: Any) -> str:
    """Return the text of a tool result or a message in any form."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(filter(None, map(_piece, content)))


def _piece(piece: Any) -> str:
    if isinstance(piece, Piece):
        return piece.text or (f"[{piece.type}]" if piece.type == "image" else "")
    if isinstance(piece, dict):
        kind = piece.get("type")
        return str(piece.get("text") or "") if kind == "text" else f"[{kind}]"
    return ""
