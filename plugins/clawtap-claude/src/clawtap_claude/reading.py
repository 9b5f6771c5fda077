"""What was read of a prompt beside its form: where its rows and its text field are now."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core import PromptForm
from clawtap_core.reading import OptionRow


@dataclass(frozen=True, slots=True)
class Field:
    """The row of the list that takes free text. `focused`: keys go into it; `text`: its content."""

    row: OptionRow
    focused: bool
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of a form: its name, its value as it is drawn, where it stands.

    `choices` are the rows of an unfolded list, `ticked` what a switch says (None: no switch);
    `folded`: it is a list that can be unfolded; `empty`: nothing is set.
    """

    name: str
    value: str
    selected: bool
    required: bool = False
    empty: bool = True
    folded: bool = False
    ticked: bool | None = None
    choices: tuple[OptionRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A prompt on this very screen.

    `rows` are the rows that can be chosen, with the labels of the form. `digits`: recordings
    prove that a digit chooses a row at once. `steer` is the row that goes on (Next, Submit),
    `aside` the labels that stand apart from the answers, `amends` that Tab opens a text field
    on a row, `amended` the text in it. `keys` name the key of each option that has one.
    """

    form: PromptForm
    rows: tuple[OptionRow, ...] = ()
    digits: bool = False
    field: Field | None = None
    steer: OptionRow | None = None
    aside: tuple[str, ...] = ()
    review: bool = False
    escapes: bool = True
    amends: bool = False
    amended: str | None = None
    entries: tuple[Entry, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()

    @property
    def several(self) -> bool:
        """Whether rows are ticked, not chosen."""
        return any(question.multi_select for question in self.form.questions)

    def row(self, label: str) -> OptionRow | None:
        """The row with this label."""
        return next((row for row in self.rows if row.label == label), None)
