"""A prompt as parsed from one screen: its form, rows and text field."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal

from clawtap_core.model import PromptForm
from clawtap_core.screens.options import OptionRow

_LAST_DIGIT = 9


@dataclass(frozen=True)
class Field:
    """Where free text goes: a row of the list, or a separate field (`row` is None).

    `focused`: keys go into it. `text`: its content, None while out of sight. `key` opens it from
    anywhere or, where the text goes along with an option, on that option's row.
    """

    focused: bool
    text: str | None = ""
    row: OptionRow | None = None
    key: str | None = None


@dataclass(frozen=True)
class ParsedPrompt:
    """A prompt on this screen.

    `rows` are the selectable rows in view, with the labels of the form; `keys` pairs a label with
    the key that chooses or ticks it at once, where recordings prove one. `next_row` goes to the
    next page (Next, Submit), `extra_labels` are rows that answer nothing. `review`: this is the
    page after the last question. `escape_denies`: Escape refuses. `axis`: the list goes "down" the
    screen, or "across" it, as buttons in one row do.
    """

    form: PromptForm
    rows: tuple[OptionRow, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    field: Field | None = None
    next_row: OptionRow | None = None
    extra_labels: tuple[str, ...] = ()
    review: bool = False
    escape_denies: bool = True
    axis: Literal["down", "across"] = "down"

    @property
    def arrows(self) -> tuple[str, str]:
        """The keys that move the cursor back and forward."""
        return ("Left", "Right") if self.axis == "across" else ("Up", "Down")

    @property
    def multi_select(self) -> bool:
        """Whether rows are ticked, not chosen."""
        return any(question.multi_select for question in self.form.questions)

    @property
    def secret(self) -> bool:
        """Whether typed text is hidden."""
        return any(question.secret for question in self.form.questions)

    @property
    def drawn(self) -> tuple[OptionRow, ...]:
        """All rows that the cursor can reach."""
        field = self.field.row if self.field else None
        return (*self.rows, *(row for row in (field, self.next_row) if row))

    @property
    def in_field_row(self) -> bool:
        """Whether the cursor is on the row of the text field, which takes the keys."""
        return bool(self.field and self.field.row and self.field.focused)

    @property
    def cursor(self) -> Hashable:
        """An identity of the row with the cursor that survives scrolling."""
        if self.in_field_row:
            return "field"
        row = next((row for row in self.drawn if row.selected), None)
        return (row.number, None if row.number else row.label) if row else None

    @property
    def visible_state(self) -> Hashable:
        """Everything that a key may change, independent of the size of the pane."""
        field = self.field
        return (
            tuple((row.number, row.label, row.selected, row.checked) for row in self.rows),
            (field.focused, field.text, field.row and field.row.checked) if field else None,
            self.next_row.selected if self.next_row else None,
        )

    def row(self, label: str) -> OptionRow | None:
        """Return the row with this label."""
        return next((row for row in self.rows if row.label == label), None)

    def may_have_rows(self, labels: Iterable[str]) -> bool:
        """Return True if each label has a row here, or one may come with a list that scrolls."""
        return self.form.more_options or all(map(self.row, labels))

    def key(self, label: str) -> str | None:
        """Return the key that chooses this label at once."""
        return next((key for name, key in self.keys if name == label), None)


def digits(rows: Iterable[OptionRow]) -> tuple[tuple[str, str], ...]:
    """Return the rows' digits as keys, for lists where a digit chooses at once."""
    return tuple(
        (row.label, str(row.number)) for row in rows if row.number and row.number <= _LAST_DIGIT
    )
