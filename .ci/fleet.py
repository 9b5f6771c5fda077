#!/usr/bin/env python3
"""A fleet to try, `make fleet`: a Redis and three machines with the demo agent, all on this one.

Ctrl+C ends it all; nothing of it stays.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from clawtap_core.config import Settings
from clawtap_core.fleet.key_file import FleetKey, write_key
from clawtap_core.testing.api_client import Client
from clawtap_core.testing.leaks import end_server
from clawtap_core.testing.server_process import Served

SHOWN = {"desk": "permission", "laptop": "questions", "server": "plan"}
"""What the demo agent asks on each machine."""
SECONDS = 60.0


def main() -> int:
    """Run the fleet until a signal arrives."""
    if not shutil.which("redis-server"):
        print("error: redis-server is missing; install it (apt-get install redis-server)")
        return 1
    # The machines get no TMUX_TMPDIR; their tmux servers are ended where they are.
    os.environ.pop("TMUX_TMPDIR", None)
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, signal.default_int_handler)
    with ExitStack() as running:
        try:
            print(f"Three machines, one page: open {start(running)}")
            print("Ctrl+C ends them and removes all that they wrote.", flush=True)
            signal.pause()
        except KeyboardInterrupt:
            # A second one must not interrupt the end, which takes a moment.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            return 0
        except (AssertionError, TimeoutError) as error:  # the first is of `Served`
            print(f"error: {error}")
    return 1


def start(running: ExitStack) -> str:
    """Start everything, and return the address that signs in one browser."""
    folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="clawtap-fleet-")))
    key = FleetKey.new(f"unix://{running.enter_context(redis(folder))}")
    clients = {}
    for name, shown in SHOWN.items():
        clients[name] = running.enter_context(machine(name, folder / name, key))
        session = {"adapter": "demo", "cwd": str(folder / name), "args": ["--show", shown]}
        clients[name].post("/api/sessions", session)
    first = clients["desk"]
    until(lambda: len(first.get("/api/pending").body) >= len(SHOWN), "the prompts of all machines")
    return f"{first.url}/login#pair={first.post('/api/devices/pairing', {}).body['code']}"


@contextmanager
def redis(folder: Path) -> Iterator[Path]:
    """Run a Redis that keeps nothing, and yield its socket."""
    socket = folder / "redis.sock"
    options = ("--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700", "--save", "")
    server = subprocess.Popen(
        ["redis-server", *options, "--dir", str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        # Ctrl+C is for us: the machines leave the fleet first.
        start_new_session=True,
    )
    try:
        until(socket.exists, "redis-server")
        yield socket
    finally:
        server.terminate()
        server.wait()


@contextmanager
def machine(name: str, folder: Path, key: FleetKey) -> Iterator[Client]:
    """Run a machine of the fleet with its own data, HOME, port and tmux, and yield its owner."""
    data, tmux = folder / "data", f"clawtap-fleet-{os.getpid()}-{name}"
    data.mkdir(mode=0o700, parents=True)
    write_key(Settings(data_dir=data).fleet_key, key)
    arguments = ("--machine-name", name, "--log-level", "warning")
    served = Served(folder, tmux_socket=tmux, arguments=arguments, token=None)
    try:
        served.start()
        yield Client(served.url, (data / "token").read_text().strip())
    finally:
        served.stop()
        end_server(tmux)


def until(check: Callable[[], object], what: str) -> None:
    """Wait until something has happened."""
    end = time.monotonic() + SECONDS
    while not check():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come within {SECONDS:g} seconds")
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
