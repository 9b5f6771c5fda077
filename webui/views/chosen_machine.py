"""The machine that a page is about, and the addresses of pages about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from flask import request

from clawtap_core.errors import BadRequest
from clawtap_core.server.context import to_all_machines, transport
from clawtap_core.server.request_input import MACHINE
from clawtap_core.transport import Transport
from webui.viewmodels.machine_choices import MachineChoice, choice_url, machine_choices

Page = TypeVar("Page")


@dataclass(frozen=True, slots=True)
class ChosenMachine:
    """The machines of a page that offers a choice, of which at most one is chosen."""

    choices: Sequence[MachineChoice] = ()
    # The address of the page about all machines, if it can be about all.
    all_url: str = ""

    @property
    def id(self) -> str:
        """Return the machine of this page, or "" where there is only one."""
        chosen = next((each.id for each in self.choices if each.chosen), "")
        return chosen or request.args.get(MACHINE, "")

    @property
    def here(self) -> bool:
        """Return whether it is the machine that answers."""
        return not self.choices or any(each.here and each.chosen for each in self.choices)

    def url(self, path: str, **fields: object) -> str:
        """Return the address of a page about the same machine; empty fields are left out."""
        named = {name: value for name, value in {**fields, MACHINE: self.id}.items() if value}
        return f"{path}?{urlencode(named)}" if named else path

    def transport(self) -> Transport:
        """Return the transport to it; raise NotFound or Conflict if there is no such machine."""
        if request.args.get(MACHINE):
            return transport()
        return to_all_machines().at(self.id) if self.id else to_all_machines()


def chosen_machine(path: str, *, every: bool = False) -> ChosenMachine:
    """Return the machine of this request, and those from which a page at `path` can choose.

    A page about `every` machine has none chosen at first.
    """
    machines = to_all_machines().machines()
    choices = machine_choices(machines, path, request.args, every=every)
    return ChosenMachine(choices, choice_url(path, request.args) if every else "")


def page_at_cursor(read: Callable[[str | None], Page]) -> tuple[Page, bool]:
    """Return the page at the request's cursor, and whether there are newer ones."""
    cursor = request.args.get("cursor") or None
    try:
        return read(cursor), cursor is not None
    except BadRequest:
        # Somebody edited the address: begin with the first page.
        return read(None), False
