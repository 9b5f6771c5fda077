"""How long the machines of a fleet take to answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from clawtap_core.errors import ClawTapError
from clawtap_core.fleet.router import ask_all
from clawtap_core.fleet.view import FleetView
from clawtap_core.model import Actor, MachineStatus


def measured(
    machines: Sequence[MachineStatus], fleet: FleetView, actor: Actor
) -> list[MachineStatus]:
    """Return the machines with their round trips, all asked at once."""

    def ask(machine_id: str) -> float:
        began = time.perf_counter()
        fleet.call(machine_id, actor, "desk_typed_at", {})
        return time.perf_counter() - began

    seconds = ask_all([one.machine.id for one in machines if not one.machine.here], ask)

    def round_trip(status: MachineStatus) -> float | None:
        # Where it could not be measured, the status says why.
        measure = seconds.get(status.machine.id)
        return None if isinstance(measure, ClawTapError) else measure

    return [replace(status, round_trip=round_trip(status)) for status in machines]
