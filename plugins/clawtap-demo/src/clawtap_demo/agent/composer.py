"""The line where the user writes."""

from __future__ import annotations

from clawtap_demo.agent.keys import Key


class Composer:
    """A draft that grows and shrinks at its end."""

    def __init__(self) -> None:
        self.draft = ""

    def key(self, key: Key) -> str | None:
        """Handle a key, and return the message if Enter sent one."""
        if key.name == "Enter":
            message, self.draft = self.draft.strip(), ""
            return message or None
        if key.name == "Newline":
            self.draft += "\n"
        elif key.name == "BSpace":
            self.draft = self.draft[:-1]
        elif key.name in ("C-u", "Escape"):
            self.draft = ""
        elif key.name in ("Text", "Paste"):
            self.draft += key.text.replace("\r\n", "\n").replace("\r", "\n")
        return None
