"""What the agent asks: rows to choose from, and what keys do to them. No drawing here."""

from __future__ import annotations

from dataclasses import dataclass, field

from clawtap_demo.agent.keys import Key

PAGE = 5
_MOVES = {"Up": -1, "Down": 1, "Left": -1, "Right": 1, "PageUp": -PAGE, "PageDown": PAGE}


@dataclass(frozen=True)
class Row:
    """One row; `hint` is the key that chooses it at once, `text` makes it a text field."""

    label: str
    hint: str = ""
    description: str = ""
    text: bool = False


@dataclass(frozen=True)
class Decision:
    """What was chosen: labels, what was typed, or nothing at all (Escape)."""

    labels: tuple[str, ...] = ()
    text: str = ""

    @property
    def words(self) -> str:
        """The decision in one line."""
        return " + ".join([*self.labels, *([self.text] if self.text else [])]) or "nothing (esc)"


@dataclass
class Dialog:
    """An open question; a `strange` one is drawn like nothing that the adapter knows."""

    header: str
    title: str
    rows: list[Row]
    description: str = ""
    multi: bool = False
    secret: bool = False
    strange: bool = False
    cursor: int = 0
    checked: set[int] = field(default_factory=set)
    text: str = ""

    @property
    def row(self) -> Row:
        """The row the cursor is on."""
        return self.rows[self.cursor]

    def key(self, key: Key) -> Decision | None:
        """Handle a key, and return the decision if it made one."""
        if key.name == "Enter":
            return self._confirm()
        if key.name == "Escape":
            return self._hinted("esc") or Decision()
        if key.name in _MOVES:
            self.cursor = max(0, min(len(self.rows) - 1, self.cursor + _MOVES[key.name]))
        elif key.name in ("Text", "Paste", "BSpace"):
            return self._typed(key)
        return None

    def _typed(self, key: Key) -> Decision | None:
        if self.row.text:
            text = " ".join(key.text.split("\n"))
            self.text = self.text[:-1] if key.name == "BSpace" else self.text + text
        elif key.text == " " and self.multi:
            self.checked ^= {self.cursor}
        elif key.name == "Text":
            return self._hinted(key.text)
        return None

    def _hinted(self, hint: str) -> Decision | None:
        return next((Decision((row.label,)) for row in self.rows if row.hint == hint), None)

    def _confirm(self) -> Decision | None:
        if self.multi:
            labels = tuple(self.rows[index].label for index in sorted(self.checked))
            return Decision(labels, self.text) if labels or self.text else None
        if self.row.text:
            return Decision(text=self.text) if self.text else None
        return Decision((self.row.label,))
