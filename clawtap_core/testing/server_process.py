"""`clawtap serve` in a separate process, which can be killed and restarted."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import requests

from clawtap_core.testing.api_client import Client

TOKEN = "token-of-the-tests"  # noqa: S105 - it opens nothing but a server of a test
_START_SECONDS = 60.0
_STOP_SECONDS = 30.0


class Served:
    """A server with its own port, data folder and tmux socket; `log` holds its output.

    `subcommand` is `serve` or `hub`; without a `token` the server makes its own.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tmux_socket: str | None,
        env: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        command: Sequence[str] = (),
        subcommand: str = "serve",
        token: str | None = TOKEN,
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = folder / "data"
        self.log = folder / "serve.log"
        self.client = Client(self.url, TOKEN)
        self._env = dict(env) if env is not None else clean_environment(folder / "home")
        own = ("--port", str(self.port), "--data-dir", str(self.data))
        program = tuple(command) or (str(Path(sys.executable).with_name("clawtap")), subcommand)
        opened = ("--token", token) if token else ()
        tmux = ("--tmux-socket", tmux_socket) if tmux_socket else ()
        self._argv = (*program, *own, *opened, *tmux, *arguments)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Served:
        """Start it, and wait until it answers."""
        self.process = self._launch()
        end = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise AssertionError(f"clawtap serve did not start:\n{self.log.read_text()}")
            time.sleep(0.05)
        return self

    def _launch(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                self._argv, env=self._env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def kill(self) -> None:
        """End it like kill -9, without cleaning up."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it like Ctrl+C."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"clawtap serve did not stop by {how.name}") from None

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz", timeout=1).ok
        except requests.RequestException:
            return False


def free_port() -> int:
    """Return an unused port on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def clean_environment(home: Path) -> dict[str, str]:
    """Return an environment with its own HOME, without ClawTap, tmux or XDG variables."""
    home.mkdir(parents=True, exist_ok=True)
    kept = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SHELL", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    return {"LANG": "C.UTF-8", "TERM": "xterm-256color", **inherited, "HOME": str(home)}
