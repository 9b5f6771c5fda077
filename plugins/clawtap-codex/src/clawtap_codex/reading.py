"""What was read of a prompt beside its form: where its rows and its text field are now."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core import PromptForm
from clawtap_core.reading import OptionRow


@dataclass(frozen=True, slots=True)
class Field:
    """Where free text goes. `text`: what it holds; None where the pane is too small to show it.

    `notes`: it belongs to the selected option, and is opened by Tab; else it is all there is.
    """

    focused: bool
    text: str | None
    notes: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A prompt on this very screen.

    `rows` are the choosable rows in view, with the labels of the form. `keys`: for each row the
    key that chooses it at once, where facts prove one. `escapes`: Escape refuses. `wakes`: the
    CLI has only just started, and may not hear the first keys.
    """

    form: PromptForm
    rows: tuple[OptionRow, ...] = ()
    keys: tuple[str | None, ...] = ()
    field: Field | None = None
    escapes: bool = True
    wakes: bool = False

    @property
    def cursor(self) -> int | None:
        """The number of the row that the cursor is on."""
        return next((row.number for row in self.rows if row.selected), None)

    def row(self, label: str) -> OptionRow | None:
        """The row with this label."""
        return next((row for row in self.rows if row.label == label), None)

    def key(self, label: str) -> str | None:
        """The key that chooses this label at once."""
        for row, key in zip(self.rows, self.keys, strict=False):
            if row.label == label:
                return key
        return None
