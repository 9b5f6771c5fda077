"""Where a figure is measured: a server, sessions in panes, and nothing of the user's."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from bench.adapter import IDLE, PAINTER
from clawtap_core.testing import Client, Served
from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server
from clawtap_core.testing.server_process import clean_environment

CHECKOUT = Path(__file__).parents[1]
# In this environment `clawtap serve` finds our adapter like any installed plugin.
_METADATA = "Metadata-Version: 2.1\nName: clawtap-bench\nVersion: 1\n"
_ENTRY = "[clawtap]\nbench = bench.adapter\n"
Place = TypeVar("Place", bound="Bare")
LIBTMUX = (sys.executable, "-m", "bench.libtmux_serve", "serve")


class Bare:
    """Panes on a tmux server, and nobody who watches them."""

    def __init__(self, folder: Path, socket: str) -> None:
        self.folder = folder
        self.socket = socket
        self.env = environment(folder)

    def open(self, *arguments: str) -> None:
        """A pane with the painter; without arguments, with an idle program."""
        argv = (sys.executable, PAINTER, *arguments) if arguments else IDLE
        tmux = ("tmux", "-L", self.socket, "-f", os.devnull, "new-session", "-d")
        subprocess.run((*tmux, "-x", "120", "-y", "40", *argv), env=self.env, check=True)

    def start(self) -> None:
        """Nothing has to be started."""

    def stop(self) -> None:
        """End the panes."""
        end_server(self.socket)


class Ground(Bare):
    """Panes that are sessions of a running server."""

    def __init__(
        self, folder: Path, socket: str, command: Sequence[str] = (), arguments: Sequence[str] = ()
    ) -> None:
        super().__init__(folder, socket)
        self._served = Served(
            folder, tmux_socket=socket, env=self.env, command=command, arguments=arguments
        )
        self.sessions: list[str] = []

    @property
    def client(self) -> Client:
        """A client of the server."""
        return self._served.client

    @property
    def pid(self) -> int:
        """The server's process."""
        assert self._served.process
        return self._served.process.pid

    def start(self) -> None:
        """Start the server."""
        self._served.start()

    def stop(self) -> None:
        """Stop the server and end the panes."""
        self._served.stop()
        super().stop()

    def open(self, *arguments: str, channel: str = "terminal") -> None:
        """A new session of the painter, or of the program that is spoken to; without arguments,
        of an idle program."""
        body = {"adapter": "bench", "cwd": str(self.folder), "args": list(arguments)}
        body["channel"] = channel
        reply = self.client.post("/api/sessions", body)
        if reply.status != 201:
            raise RuntimeError(f"no session: {reply}")
        self.sessions.append(reply.body["id"])


@contextmanager
def ground(command: Sequence[str] = ()) -> Iterator[Ground]:
    """A server in a folder and on a socket of its own; all gone afterwards."""
    with _folder() as folder:
        yield from _run(Ground(folder, _socket(), command))


@contextmanager
def bare() -> Iterator[Bare]:
    """Panes on a socket of their own, without a server."""
    with _folder() as folder:
        yield from _run(Bare(folder, _socket()))


def _run(place: Place) -> Iterator[Place]:
    try:
        place.start()
        yield place
    finally:
        place.stop()


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="clawtap-bench-") as name:
        yield Path(name)


def _socket() -> str:
    return f"{SOCKET_PREFIX}{time.monotonic_ns()}"


def environment(folder: Path) -> dict[str, str]:
    """An environment in which our adapter is installed."""
    plugins = folder / "plugins"
    info = plugins / "clawtap_bench-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(_METADATA, encoding="utf-8")
    (info / "entry_points.txt").write_text(_ENTRY, encoding="utf-8")
    path = os.pathsep.join((str(plugins), str(CHECKOUT)))
    return {**clean_environment(folder / "home"), "PYTHONPATH": path}


def until(holds: Callable[[], Any], seconds: float = 60.0) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"did not come to hold within {seconds:g} s")
        time.sleep(0.02)


@contextmanager
def poller(place: Bare, *log: str) -> Iterator[int]:
    """A process that polls every pane there is; its pid."""
    command = (sys.executable, "-m", "bench.poller", place.socket, *log)
    process = subprocess.Popen(command, env=place.env)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()
