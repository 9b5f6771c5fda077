"""The values of a parsed form."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from clawtap_core.screens import OptionRow, ParsedPrompt


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form: its name, its value as it is drawn, where it is.

    `place` counts from the first field of the form, out of sight or not. `choices` are the rows of
    an unfolded list, of which `choices_above` and `choices_below` count those out of sight, and
    `several` may be ticked; `ticked` is the state of a switch (None: no
    switch); `folded`: it is a list that can be unfolded; `empty`: nothing is set.
    `problem` is what the CLI says of a wrong value.
    """

    name: str
    value: str
    selected: bool
    place: int = 0
    problem: str = ""
    required: bool = False
    empty: bool = True
    folded: bool = False
    ticked: bool | None = None
    choices: tuple[OptionRow, ...] = ()
    choices_above: int = 0
    choices_below: int = 0
    several: bool = False

    @property
    def offered(self) -> frozenset[tuple[int, str]]:
        """The labels in sight, each with its place in the list."""
        return frozenset(
            (place, row.label) for place, row in enumerate(self.choices, self.choices_above)
        )

    def key_to_more(self, seen: frozenset[tuple[int, str]]) -> str | None:
        """Return the key towards choices that were not seen yet, or None if all of them were."""
        places = {place for place, _ in seen}
        end = self.choices_above + len(self.choices)
        if not places.issuperset(range(end, end + self.choices_below)):
            return "Down"
        return None if places.issuperset(range(self.choices_above)) else "Up"


@dataclass(frozen=True)
class ParsedForm(ParsedPrompt):
    """A form on the screen; its rows are its buttons.

    `above` and `below` are how many fields are out of sight.
    """

    entries: tuple[FormField, ...] = ()
    above: int = 0
    below: int = 0

    @property
    def fields(self) -> int:
        """How many fields the form has."""
        return self.above + len(self.entries) + self.below

    @property
    def visible_state(self) -> Hashable:
        """The buttons and every field."""
        return super().visible_state, self.entries
