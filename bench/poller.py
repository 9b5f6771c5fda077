"""What watching by polling costs: every pane is captured through libtmux, 4 times a second.

poller.py SOCKET [LOG]   with LOG, a prompt is noted there and answered by the key 1

A process of its own with nothing else in it: polling never comes cheaper.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import libtmux

from bench.adapter import detect_prompt, detect_state
from clawtap_core import Screen

TICK = 0.25


def look(pane: libtmux.Pane, shown: dict[str, list[str]]) -> bool:
    """Capture a pane and read what changed; whether a prompt is new there."""
    rows = pane.capture_pane(escape_sequences=True)
    key = str(pane.pane_id)
    if rows == shown.get(key):
        return False
    shown[key] = list(rows)
    screen = Screen(tuple(rows), 120, 40)
    detect_state(screen)
    return detect_prompt(screen) is not None


def poll(panes: list[libtmux.Pane], log: str | None) -> None:
    """Poll until ended."""
    shown: dict[str, list[str]] = {}
    tick = time.monotonic()
    while True:
        for pane in panes:
            if look(pane, shown) and log:
                seen = time.monotonic_ns()
                with Path(log).open("a", encoding="utf-8") as file:
                    file.write(f"{seen}\n")
                pane.send_keys("1", enter=False)
        # A round that took longer is followed by the next one at once.
        tick = max(tick + TICK, time.monotonic())
        time.sleep(max(0.0, tick - time.monotonic()))


def main() -> None:
    """Poll every pane of a socket."""
    panes = list(libtmux.Server(socket_name=sys.argv[1]).panes)
    poll(panes, sys.argv[2] if len(sys.argv) > 2 else None)


if __name__ == "__main__":
    main()
