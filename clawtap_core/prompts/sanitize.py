"""What of a text can be typed: no keyboard has the rest, and a terminal takes it for commands."""

from __future__ import annotations


def strip_control_chars(text: str, *, tabs: bool = False) -> str:
    """The text with plain newlines and without control characters.

    A tab stays where `tabs` says so (it is pasted there), and is a blank elsewhere: as a key it
    would move or complete.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = lines if tabs else lines.replace("\t", " ")
    kept = "".join(char for char in lines if char in "\n\t" or not _control(char))
    return kept.encode("utf-8", "replace").decode()


def _control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f"
