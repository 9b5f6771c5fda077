"""The values of a parsed form."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from clawtap_core.screens import OptionRow, ParsedPrompt


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form: its name, its value as it is drawn, where it is.

    `choices` are the rows of an unfolded list, `ticked` the state of a switch (None: no switch);
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


@dataclass(frozen=True)
class ParsedForm(ParsedPrompt):
    """A form on the screen; its rows are its buttons.

    `hidden` has an arrow up, down or both, where fields are out of sight.
    """

    entries: tuple[FormField, ...] = ()
    hidden: tuple[str, ...] = ()

    @property
    def visible_state(self) -> Hashable:
        """The buttons and every field."""
        return super().visible_state, self.entries
