"""What it costs to start: the server until it answers, its memory, and a command's help."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import requests

from bench import cpu
from bench.figure import Figure
from bench.ground import ground, until
from clawtap_core.testing.server_process import free_port

_CLAWTAP = str(Path(sys.executable).with_name("clawtap"))
# Where people use it, Python keeps what it compiled.
_ENV = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}


def start(rounds: int) -> Figure:
    """CPU until `clawtap serve` answers, against a Flask app on gevent."""
    ours, theirs = [], []
    for _ in range(rounds):
        with ground() as place:
            ours.append(cpu.used(place.pid))
        with _plain_server() as pid:
            theirs.append(cpu.used(pid))
    note = f"{rounds} starts; against a Flask app on gevent that answers the same request"
    found = 1e3 * statistics.median(ours), 1e3 * statistics.median(theirs)
    return Figure("start", "serve answers, CPU", *found, "ms", 0.25, note)


def memory() -> Figure:
    """Resident memory of a server that answers, against a Flask app on gevent."""
    with ground() as place:
        ours = resident(place.pid)
    with _plain_server() as pid:
        theirs = resident(pid)
    note = "resident, at start; against a Flask app on gevent"
    return Figure("memory", "memory of serve", ours, theirs, "MB", 0.5, note)


def help_shown(rounds: int) -> Figure:
    """CPU of `clawtap --help`, against Python with click and nothing else."""
    bare = (sys.executable, "-c", "import click, importlib.metadata as m; m.entry_points()")
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_cpu_of((_CLAWTAP, "--help")))
        theirs.append(_cpu_of(bare))
    note = f"{rounds} runs; against Python that imports click and lists entry points"
    found = 1e3 * statistics.median(ours), 1e3 * statistics.median(theirs)
    return Figure("help", "clawtap --help, CPU", *found, "ms", 0.4, note)


def resident(pid: int) -> float:
    """Return a process's resident memory in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return float(status.partition("VmRSS:")[2].split()[0]) / 1e3


def _cpu_of(argv: Sequence[str]) -> float:
    before = os.times()
    subprocess.run(argv, env=_ENV, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


@contextmanager
def _plain_server() -> Iterator[int]:
    port = free_port()
    process = subprocess.Popen((sys.executable, "-m", "bench.plain_server", str(port)))
    try:
        until(lambda: _answers(port))
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/healthz", timeout=1).ok
    except requests.RequestException:
        return False
