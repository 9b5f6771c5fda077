"""How long the machines of a fleet take to answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from clawtap_core.errors import ClawTapError
from clawtap_core.fleet.view import FleetView
from clawtap_core.model import Actor, MachineStatus


def measured(
    machines: Sequence[MachineStatus], fleet: FleetView, actor: Actor
) -> list[MachineStatus]:
    """Return the machines with their round trips, all asked at once."""
    seconds: dict[str, float] = {}

    def ask(machine_id: str) -> None:
        began = time.perf_counter()
        try:
            fleet.call(machine_id, actor, "desk_typed_at", {})
        except ClawTapError:
            return  # its status says why
        seconds[machine_id] = time.perf_counter() - began

    others = [status.machine.id for status in machines if not status.machine.here]
    threads = [threading.Thread(target=ask, args=(other,), daemon=True) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [replace(status, round_trip=seconds.get(status.machine.id)) for status in machines]
