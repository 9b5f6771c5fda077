"""`clawtap serve` over a fake transport, in a process of its own."""

from __future__ import annotations

import json
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from clawtap_core.client import HttpTransport

TOKEN = "the-owner-token"
FAKE_SERVE = Path(__file__).with_name("fake_serve.py")
StartServer = Callable[..., "Served"]


class Served:
    """A server in a process of its own."""

    def __init__(self, data: Path, descriptors: int = 0, **settings: Any) -> None:
        self.data = data
        fields = {"port": 0, "token": TOKEN, "data_dir": str(data), **settings}
        self.process = subprocess.Popen(
            [sys.executable, str(FAKE_SERVE), json.dumps(fields)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=partial(_limit, descriptors) if descriptors else None,
        )
        assert self.process.stdout
        self.line = self.process.stdout.readline()
        self.url = self.line.split()[-1] if self.line else ""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 30)

    def transport(self, **settings: Any) -> HttpTransport:
        return HttpTransport(self.url, TOKEN, **settings)

    def end(self, sign: int = signal.SIGTERM) -> tuple[int, float, str]:
        """The exit code, how long it took, and what was said on stderr."""
        began = time.monotonic()
        self.process.send_signal(sign)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, time.monotonic() - began, said

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def _limit(descriptors: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))


def until_closed(line: socket.socket) -> bytes:
    data = b""
    while piece := line.recv(65536):
        data += piece
    return data
