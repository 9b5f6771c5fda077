"""What a terminal or a CLI would take for a command: tell it, and remove control characters."""

from __future__ import annotations

import re

from clawtap_core.errors import BadRequest, ErrorCode

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def is_command(text: str) -> bool:
    """Return True if a message may be a command to the CLI itself, which may open a list."""
    return text.startswith("/")


def has_control_chars(text: str) -> bool:
    """Return whether a terminal would show the text as something else; a tab or newline is text."""
    return bool(_CONTROL.search(text))


def show_control_chars(text: str) -> str:
    """Return the text with escapes in place of its control characters."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


def strip_control_chars(text: str, *, tabs: bool = False) -> str:
    """Return the text with plain newlines and without control characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    # As a key a tab would move or complete; only a paste (`tabs`) may keep it.
    lines = lines if tabs else lines.replace("\t", " ")
    return _CONTROL.sub("", lines).encode("utf-8", "replace").decode()


def sendable(text: str) -> str:
    """Return a message without control characters; BadRequest if nothing is left."""
    kept = strip_control_chars(text, tabs=True).strip()
    if not kept:
        raise BadRequest("message is required", code=ErrorCode.MESSAGE_REQUIRED)
    return kept
