"""The machines of a fleet as choices of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from clawtap_core.model import MachineState, MachineStatus
from webui.markup.sanitizer import visible
from webui.viewmodels.relative_time import ago


@dataclass(frozen=True, slots=True)
class MachineChoice:
    """A machine, and the address of the page on it; `trip` is how long it takes to answer."""

    id: str
    name: str
    url: str
    here: bool
    online: bool
    chosen: bool
    version: str
    sessions: int
    pending: int
    since: str
    detail: str
    trip: str

    @property
    def word(self) -> str:
        """Return its health in words."""
        if self.here:
            return "Works alone" if self.detail else "This machine"
        if self.online:
            return "Online"
        return "Away" if self.since in ("", "now") else f"Away for {self.since}"


def machine_choices(
    machines: Sequence[MachineStatus],
    path: str = "",
    args: Mapping[str, str] | None = None,
    *,
    every: bool = False,
) -> list[MachineChoice]:
    """Return the machines if there are several, or if the server is a hub.

    The one of `args` is chosen; if there is none in `args` this one, or the first that is online,
    or none if the page is about `every` machine.
    """
    if not machines or (len(machines) == 1 and machines[0].machine.here):
        return []
    named = (args or {}).get("machine", "")
    default = None if every else _default(machines)
    chosen = _named(machines, named) if named else default
    return [_choice(status, status is chosen, path, args or {}) for status in machines]


def _named(machines: Sequence[MachineStatus], name: str) -> MachineStatus | None:
    named = (each for each in machines if name in (each.machine.id, each.machine.name))
    return next(named, None)


def _default(machines: Sequence[MachineStatus]) -> MachineStatus:
    return (
        [status for status in machines if status.machine.here]
        or [status for status in machines if status.machine.state is MachineState.ONLINE]
        or machines
    )[0]


def _choice(
    status: MachineStatus, chosen: bool, path: str, args: Mapping[str, str]
) -> MachineChoice:
    machine = status.machine
    return MachineChoice(
        id=machine.id,
        name=visible(machine.name),
        url=choice_url(path, args, machine.id),
        here=machine.here,
        online=machine.state is MachineState.ONLINE,
        chosen=chosen,
        version=status.version,
        sessions=status.sessions,
        pending=status.pending,
        since=ago(status.since.isoformat()) if status.since else "",
        detail=visible(status.detail or ""),
        trip=f"{status.round_trip * 1000:.0f} ms" if status.round_trip is not None else "",
    )


def choice_url(path: str, args: Mapping[str, str], machine: str = "") -> str:
    """Return the address of the page at `path` about a machine, or about all."""
    # Another machine does not have this machine's folders and sessions.
    kept = {name: value for name, value in args.items() if name in ("adapter", "kind", "q")}
    query = urlencode({**kept, "machine": machine} if machine else kept)
    return f"{path}?{query}" if query else path
