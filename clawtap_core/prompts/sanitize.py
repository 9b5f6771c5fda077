"""Remove characters that a terminal would interpret as commands."""

from __future__ import annotations


def strip_control_chars(text: str, *, tabs: bool = False) -> str:
    """Return the text with plain newlines and without control characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    # As a key a tab would move or complete; only a paste (`tabs`) may keep it.
    lines = lines if tabs else lines.replace("\t", " ")
    kept = "".join(char for char in lines if char in "\n\t" or not _is_control(char))
    return kept.encode("utf-8", "replace").decode()


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f"
