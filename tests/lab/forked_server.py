"""`clawtap serve` again and again, forked from a process that has imported everything once.

A restart then takes a tenth of a second, so that a server can be killed hundreds of times.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import requests
from patience import until

from clawtap_core.system.processes import lives
from clawtap_core.testing import Client
from clawtap_core.testing.server_process import TOKEN, Served, clean_environment, free_port

PROGRAM = Path(__file__).with_name("server_nursery.py")


class Nursery:
    """The process that forks servers; its environment is theirs."""

    def __init__(self, home: Path) -> None:
        self.home = home
        env = {**clean_environment(home), "PYTHONPATH": str(Path(__file__).parent)}
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=env,
        )
        self._ended: dict[int, int] = {}
        self._unread = b""

    def fork(self, **order) -> int:
        """Start a server and return its process id."""
        self._process.stdin.write(f"{json.dumps(order)}\n".encode())
        while True:
            word, pid, *status = self._line().split()
            if word == b"started":
                self._ended.pop(int(pid), None)
                return int(pid)
            self._ended[int(pid)] = int(status[0])

    def status(self, pid: int, seconds: float = 0.0) -> int | None:
        """Return the exit status of a server that has ended, or ends within these seconds."""
        end = time.monotonic() + seconds
        while pid not in self._ended and self._readable(end - time.monotonic()):
            _, each, status = self._line().split()
            self._ended[int(each)] = int(status)
        return self._ended.get(pid)

    def _readable(self, seconds: float) -> bool:
        return b"\n" in self._unread or bool(
            select.select([self._process.stdout], [], [], max(seconds, 0.0))[0]
        )

    def _line(self) -> bytes:
        while b"\n" not in self._unread:
            data = self._process.stdout.read(4096)
            assert data, "the nursery ended"
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def close(self) -> None:
        """End it, and every server that it forked."""
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


class ForkedProcess:
    """What a Popen says of a server, and does to it."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self._nursery, self.pid = nursery, pid

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def poll(self) -> int | None:
        return self._nursery.status(self.pid)

    def wait(self, timeout: float = 60.0) -> int:
        status = self._nursery.status(self.pid, timeout)
        if status is None:
            raise subprocess.TimeoutExpired("clawtap", timeout)
        return status

    def send_signal(self, how: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, how)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkedServed(Served):
    """A `Served` that is forked, with the same command line; `fleet_timings` are waits by name."""

    def __init__(self, nursery: Nursery, folder: Path, *, fleet_timings=None, **more) -> None:
        super().__init__(folder, **more)
        self._nursery, self._fleet_timings = nursery, fleet_timings

    def _launch(self):
        _, *arguments = self._argv
        pid = self._nursery.fork(
            argv=["clawtap", *arguments],
            env=self._env,
            log=str(self.log),
            fleet_timings=self._fleet_timings,
        )
        return ForkedProcess(self._nursery, pid)


class ForkedServer:
    """One server after another on one data folder, one port and one tmux socket."""

    def __init__(self, nursery: Nursery, folder: Path, tmux_socket: str) -> None:
        self.nursery, self.folder = nursery, folder
        self.pid = 0
        self.log = folder / "serve.log"
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.client = Client(self.url, TOKEN)
        self.settings = {
            "port": port,
            "token": TOKEN,
            "data_dir": str(folder / "data"),
            "tmux_socket": tmux_socket,
        }

    def start(self, *, wait: bool = True, fault=None, **more) -> ForkedServer:
        """Start it.

        `fault` may name a point, how often it is reached first, and a trace. `limits` are resource
        limits by name, `env` is added to the environment and `without` taken out of it, `plugins`
        are names of modules, `clock` is a file with seconds that the time of day is moved by,
        `timings` are waits of the runtime by name.
        """
        order = {"settings": self.settings, "log": str(self.log), "fault": fault, **more}
        self.pid = self.nursery.fork(**order)
        if wait:
            until(self.answers, 60, lambda: f"the start of the server\n{self.log.read_text()}\n")
        return self

    def kill(self) -> None:
        """End it with kill -9."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait_dead()

    def wait_dead(self) -> None:
        """Wait until it has died by itself."""
        until(lambda: not lives(self.pid), 60, lambda: "the death of the server")

    def stop(self) -> None:
        """End it, if it runs."""
        if self.pid and lives(self.pid):
            os.kill(self.pid, signal.SIGTERM)
            self.wait_dead()

    def answers(self) -> bool:
        """Whether it answers within five seconds; it must not have ended."""
        if not lives(self.pid):
            raise AssertionError(f"the server ended:\n{self.log.read_text()}")
        try:
            return requests.get(f"{self.url}/healthz", timeout=5).ok
        except requests.RequestException:
            return False
