"""What was read of a prompt beside its form: where its rows and its text field are now."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core import PromptForm
from clawtap_core.reading import OptionRow


@dataclass(frozen=True, slots=True)
class Field:
    """Where free text goes: a row of the list, or a field of its own (`row` is None).

    `focused`: keys go into it; `text`: what it holds.
    """

    row: OptionRow | None
    focused: bool
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A prompt on this very screen.

    `rows` are the choosable rows in view, with the labels of the form. `digits`: recordings
    prove that a digit chooses a row at once. `escapes`: Escape refuses.
    """

    form: PromptForm
    rows: tuple[OptionRow, ...] = ()
    digits: bool = False
    field: Field | None = None
    steer: OptionRow | None = None
    review: bool = False
    escapes: bool = False

    @property
    def several(self) -> bool:
        """Whether rows are ticked, not chosen."""
        return any(question.multi_select for question in self.form.questions)

    @property
    def cursor(self) -> int | None:
        """The number of the row that the cursor is on, or what stands for it."""
        if self.steer and self.steer.selected:
            return -1
        if self.field and self.field.row and self.field.focused:
            return 0
        return next((row.number or 1000 + row.first for row in self.rows if row.selected), None)

    def row(self, label: str) -> OptionRow | None:
        """The row with this label."""
        return next((row for row in self.rows if row.label == label), None)
