"""The machines of a fleet, as a sentence and a program name them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from clawtap_core.errors import ErrorCode, Impossible
from clawtap_core.model import MachineState, MachineStatus


def machine_needed(machines: Sequence[MachineStatus], unseen: str | None) -> Impossible:
    """Return the error of a hub for what needs a machine: it lists those to choose from.

    `unseen` says why no machine is seen, if none is. `missing` in the details is the parameter, or
    the flag of a command, that names one.
    """
    online_first = sorted(
        machines,
        key=lambda status: (
            status.machine.state is MachineState.AWAY,
            status.machine.name,
            status.machine.id,
        ),
    )
    times = Counter(each.machine.name for each in machines)
    names, words = [], []
    for machine in (each.machine for each in online_first):
        unique = times[machine.name] == 1
        notes = [] if unique else [machine.id]
        notes += ["away"] if machine.state is MachineState.AWAY else []
        names.append(machine.name if unique else machine.id)
        words.append(machine.name + (f" ({', '.join(notes)})" if notes else ""))
    nothing_runs = "this server is a hub, on which nothing runs"
    choice = f": {', '.join(words)}" if words else ""
    if unseen and not words:
        return Impossible(
            f"{nothing_runs}, and {unseen}", code=ErrorCode.ON_A_HUB, details={"machines": []}
        )
    return Impossible(
        f"{nothing_runs}; name a machine{choice}",
        code=ErrorCode.ON_A_HUB,
        details={"machines": names, "missing": "machine"},
    )
