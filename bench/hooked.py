"""What a hook costs its CLI where no server runs: the bridge as it is installed."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from bench.figure import Figure
from clawtap_core.cli_hooks.bridge import bridge_path
from clawtap_core.cli_hooks.endpoint import SOCKET, listening

PAYLOAD = b'{"tool_input": {"command": "%s"}}' % (b"x" * 100_000)


def unserved(runs: int) -> Figure:
    """A hook is run after the server stopped, died, and when its process is another's by now."""
    with tempfile.TemporaryDirectory(prefix="clawtap-bench-") as name:
        data = Path(name)
        folder = data / "hooks"
        with listening(data) as listener:
            listener.close()
            reused = _middle(data, runs)
            (folder / "server").write_text(f"{_dead()} {folder / SOCKET}\n")
            died = _middle(data, runs)
        stopped = _middle(data, runs)
    note = f"stopped {stopped:.1f}, died {died:.1f}, its number reused {reused:.1f}; against 50 ms"
    worst = max(stopped, died, reused)
    return Figure("unserved", "hook without a server", worst, 50.0, "ms", 1, note)


def _middle(data: Path, runs: int) -> float:
    return statistics.median(_took(data) for _ in range(runs))


def _took(data: Path) -> float:
    began = time.perf_counter()
    command = (str(bridge_path(data)), "claude", "PreToolUse")
    subprocess.run(command, input=PAYLOAD, env={"PATH": os.environ["PATH"]}, check=True)
    return 1e3 * (time.perf_counter() - began)


def _dead() -> int:
    with subprocess.Popen(("true",)) as process:
        pass
    return process.pid
