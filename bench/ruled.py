"""How long a rule takes: from the event of a prompt to the key in the program."""

from __future__ import annotations

import statistics

from bench.figure import Figure
from bench.ground import Ground, ground, until
from bench.times import painter_times

RULE = {
    "name": "bench",
    "decision": "allow",
    "tool": "bench-shell",
    "commands": ["question *"],
    "expires": "2100-01-01T00:00:00Z",
}


def ruled(rounds: int) -> Figure:
    """Measure from the event of a prompt until the program reads the key of a rule's answer."""
    with ground() as place:
        took = _answered(place, rounds)
    slow = max(took)
    note = f"{rounds} prompts; slowest {slow:.0f} ms; against the limit of 20 ms"
    return Figure("ruled", "event → rule's key read", statistics.median(took), 20.0, "ms", 1, note)


def _answered(place: Ground, rounds: int) -> list[float]:
    log = place.folder / "painter.log"
    rule = {**RULE, "folder": str(place.folder)}
    reply = place.client.post("/api/rules", {"rules": [rule]})
    if reply.status != 201:
        raise RuntimeError(f"no rule: {reply}")
    events = place.client.events()
    place.open("ask", str(log), str(rounds))
    until(lambda: len(painter_times(log)) == rounds)
    asked = [event.at for event in events.seen if event.type == "approval_required"]
    events.close()
    times = painter_times(log)
    return [1e3 * (read - at) for at, (_, read) in zip(asked, times, strict=True)]
