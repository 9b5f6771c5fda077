"""`clawtap serve` again and again, forked from a process that has imported everything once.

A restart then takes a tenth of a second, so that a server can be killed hundreds of times.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import requests
from patience import until

from clawtap_core.system.processes import lives
from clawtap_core.testing import Client
from clawtap_core.testing.server_process import TOKEN, clean_environment, free_port

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
            text=True,
            env=env,
        )

    def fork(self, **order) -> int:
        """Start a server and return its process id."""
        self._process.stdin.write(f"{json.dumps(order)}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End it, and every server that it forked."""
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()


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
        are names of modules, `clock` is a file with seconds that the time of day is moved by.
        """
        order = {"settings": self.settings, "log": str(self.log), "fault": fault, **more}
        self.pid = self.nursery.fork(**order)
        if wait:
            until(self._answers, 60, lambda: f"the start of the server\n{self.log.read_text()}\n")
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

    def _answers(self) -> bool:
        if not lives(self.pid):
            raise AssertionError(f"the server ended:\n{self.log.read_text()}")
        try:
            return requests.get(f"{self.url}/healthz", timeout=5).ok
        except requests.RequestException:
            return False
