"""The runner: measures the figures that were named, or all, and prints them as one table."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable

from bench import (
    answers,
    clients,
    detection,
    fleets,
    hooked,
    http_requests,
    load,
    page,
    rewritten,
    ruled,
    search,
    spoken_times,
    stall,
    start,
    talks,
    times,
)
from bench.figure import Figure, table

FIGURES: dict[str, tuple[Callable[[], Figure], Callable[[], Figure]]] = {
    "seen": (lambda: times.seen(40), lambda: times.seen(12)),
    "answered": (lambda: times.answered(40), lambda: times.answered(12)),
    "ruled": (lambda: ruled.ruled(40), lambda: ruled.ruled(12)),
    "idle": (lambda: load.idle(100, 20.0), lambda: load.idle(100, 8.0)),
    "spinning": (lambda: load.spinning(20, 20.0), lambda: load.spinning(20, 8.0)),
    "appended": (lambda: talks.appended(100), lambda: talks.appended(30)),
    "record": (lambda: talks.record(20), lambda: talks.record(8)),
    "parsed": (lambda: talks.parsed(100), lambda: talks.parsed(40)),
    "spoken": (lambda: spoken_times.middle(300), lambda: spoken_times.middle(60)),
    "worst": (lambda: spoken_times.worst(500), lambda: spoken_times.worst(100)),
    "many": (spoken_times.many, spoken_times.many),
    "rewritten": (lambda: rewritten.rewritten(100, 9), lambda: rewritten.rewritten(40, 5)),
    "unserved": (lambda: hooked.unserved(100), lambda: hooked.unserved(20)),
    "searched": (lambda: search.searched(9), lambda: search.searched(3)),
    "answers": (lambda: answers.answers(50), lambda: answers.answers(12)),
    "home": (lambda: http_requests.home(100), lambda: http_requests.home(30)),
    "pending": (lambda: http_requests.pending(100), lambda: http_requests.pending(30)),
    "detect": (lambda: detection.detect(5), lambda: detection.detect(3)),
    "clients": (lambda: clients.clients(950, 10), lambda: clients.clients(200, 10)),
    "start": (lambda: start.start(7), lambda: start.start(3)),
    "memory": (start.memory, start.memory),
    "help": (lambda: start.help_shown(15), lambda: start.help_shown(5)),
    "stall": (stall.stall, stall.stall),
    "card": (lambda: page.card(30), lambda: page.card(10)),
    "nodes": (lambda: page.nodes(1000), lambda: page.nodes(300)),
    "frames": (lambda: page.frames(16.0, 1000), lambda: page.frames(8.0, 100)),
    "fleet_seen": (lambda: fleets.seen(40), lambda: fleets.seen(12)),
    "fleet_answered": (lambda: fleets.answered(40), lambda: fleets.answered(12)),
    "fleet_clients": (lambda: fleets.hubs(10, 100, 1000, 5), lambda: fleets.hubs(4, 10, 100, 3)),
    "fleet_memory": (lambda: fleets.memory(30_000), lambda: fleets.memory(22_000)),
    "fleet_back": (lambda: fleets.back(5), lambda: fleets.back(2)),
    "opened": (lambda: talks.opened(100), lambda: talks.opened(100)),
}


def main() -> int:
    """Measure and print; 1 when a target is missed or a figure could not be taken."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("figure", nargs="*", help=f"of {', '.join(FIGURES)}; all when none")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rougher figures")
    asked = parser.parse_args()
    if unknown := set(asked.figure) - set(FIGURES):
        parser.error(f"no such figure: {', '.join(sorted(unknown))}")
    found, failed = [], 0
    for name in asked.figure or FIGURES:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        try:
            found.append(FIGURES[name][asked.quick]())
        except Exception:  # the other figures took minutes, and hold
            traceback.print_exc()
            failed += 1
    print(table(found))
    if os.getloadavg()[0] > (os.cpu_count() or 1) + 1:
        print("The machine is busy with other things: do not trust the times.", file=sys.stderr)
    return 1 if failed or not all(figure.met for figure in found) else 0


if __name__ == "__main__":
    sys.exit(main())
