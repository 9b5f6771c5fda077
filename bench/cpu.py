"""CPU seconds of a process with its children, as Linux counts them."""

from __future__ import annotations

import os
import time
from pathlib import Path

_PROC = Path("/proc")
_TICK = 1 / os.sysconf("SC_CLK_TCK")


def used(pid: int) -> float:
    """What a process, its living children and those it has reaped have used."""
    return sum(_own(each) + _reaped(each) for each in (pid, *_below(pid)))


def share(pid: int, seconds: float) -> float:
    """The share of one core that a process takes over some seconds, in percent.

    Less than a millisecond counts as one, so that a ratio stays a number.
    """
    before, start = used(pid), time.monotonic()
    time.sleep(seconds)
    return 100 * max(used(pid) - before, 1e-3) / (time.monotonic() - start)


def _own(pid: int) -> float:
    # Nanoseconds on a core, thread by thread; the ticks in stat are too coarse for what idles.
    found = 0
    for path in (_PROC / str(pid) / "task").glob("*/schedstat"):
        try:
            found += int(path.read_text().split()[0])
        except OSError:
            continue
    return found / 1e9


def _reaped(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[13]) + int(fields[14])) * _TICK if fields else 0.0


def _below(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for path in _PROC.glob("[0-9]*"):
        if fields := _stat(int(path.name)):
            children.setdefault(int(fields[1]), []).append(int(path.name))
    found, left = [], list(children.get(pid, ()))
    while left:
        found.append(left.pop())
        left += children.get(found[-1], ())
    return found


def _stat(pid: int) -> list[str]:
    """The fields after the name: state, parent, ..."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
