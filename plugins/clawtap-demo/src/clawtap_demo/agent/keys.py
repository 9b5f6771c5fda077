"""Keys as a terminal sends them: bytes in, named keys out."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_PASTE = re.compile(r"\x1b\[200~(.*?)\x1b\[201~", re.DOTALL)
_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])")
_NAMES = {
    "\r": "Enter",
    "\n": "Newline",
    "\t": "Tab",
    "\x7f": "BSpace",
    "\x08": "BSpace",
    "\x1b[Z": "BTab",
    "\x1b[3~": "DC",
    "\x1b[5~": "PageUp",
    "\x1b[6~": "PageDown",
    "\x1b[1~": "Home",
    "\x1b[4~": "End",
}
_ARROWS = {"A": "Up", "B": "Down", "C": "Right", "D": "Left", "H": "Home", "F": "End"}


@dataclass(frozen=True)
class Key:
    """One key: its tmux name, or "Text" and "Paste" with the text they bring."""

    name: str
    text: str = ""


class KeyDecoder:
    """Turns bytes into keys; what is incomplete waits for more bytes."""

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    @property
    def incomplete(self) -> bool:
        """Whether an escape sequence, or a lone Escape, waits for what follows."""
        return bool(self._rest)

    def feed(self, data: bytes) -> list[Key]:
        """Return the keys that are complete now."""
        self._rest += self._utf8.decode(data)
        keys = []
        while self._rest:
            key, length = self._next()
            if key is None:
                break
            keys.append(key)
            self._rest = self._rest[length:]
        return keys

    def flush(self) -> list[Key]:
        """Return a pending Escape as a key, since nothing followed it."""
        rest, self._rest = self._rest, ""
        return [Key("Escape"), *self.feed(rest[1:].encode())] if rest else []

    def _next(self) -> tuple[Key | None, int]:
        rest = self._rest
        if name := _NAMES.get(rest[0]):
            return Key(name), 1
        if rest[0] != "\x1b":
            return Key("Text", rest[0]) if rest[0] >= " " else Key(f"C-{chr(ord(rest[0]) + 96)}"), 1
        if rest.startswith("\x1b[200~"):
            pasted = _PASTE.match(rest)
            return (Key("Paste", pasted[1]), pasted.end()) if pasted else (None, 0)
        if match := _SEQUENCE.match(rest):
            name = _NAMES.get(match[0]) or _ARROWS.get(match[0][-1]) or "Other"
            return Key(name, match[0]), match.end()
        if len(rest) == 1 or rest[1] in "[O":
            return None, 0
        return (Key("Escape"), 1) if rest[1] < " " else (Key(f"M-{rest[1]}"), 2)
