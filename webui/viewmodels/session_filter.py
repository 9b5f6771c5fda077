"""The filters of the list of sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clawtap_core.model import Session
from webui.viewmodels.session_row import machine_name, rank, short_path

# By rank: lost and ended sessions are one.
STATES = (("0", "Needs you"), ("1", "Working"), ("2", "Idle"), ("3", "Ended"))


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """The choices as values and labels, and the chosen ones ("" for all).

    Machines are there only in a fleet.
    """

    machines: tuple[tuple[str, str], ...]
    folders: tuple[tuple[str, str], ...]
    clis: tuple[tuple[str, str], ...]
    states: tuple[tuple[str, str], ...]
    machine: str
    folder: str
    cli: str
    state: str

    @property
    def active(self) -> bool:
        """Whether some sessions may be left out."""
        return bool(self.machine or self.folder or self.cli or self.state)

    def matches(self, session: Session) -> bool:
        """Return True if the session should be shown."""
        return (
            self.machine in ("", machine_name(session))
            and self.folder in ("", session.cwd)
            and self.cli in ("", session.adapter)
            and self.state in ("", str(min(rank(session), 3)))
        )


def filter_choices(
    sessions: Sequence[Session], names: Mapping[str, str], chosen: Mapping[str, str]
) -> FilterChoices:
    """Return the choices that these sessions leave."""
    folders = {session.cwd: short_path(session.cwd) for session in sessions}
    clis = {session.adapter: names.get(session.adapter, session.adapter) for session in sessions}
    machines = set(map(machine_name, sessions)) - {""}
    return FilterChoices(
        tuple((name, name) for name in sorted(machines)),
        tuple(sorted(folders.items(), key=lambda pair: pair[1])),
        tuple(sorted(clis.items(), key=lambda pair: pair[1])),
        STATES,
        *(chosen.get(name, "") for name in ("on", "folder", "cli", "state")),
    )
