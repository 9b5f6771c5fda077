"""A redis-server of a test, on a UNIX socket that nobody else knows."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import until

SERVER = os.environ.get("REDIS_SERVER", "redis-server")
MISSING = "redis-server is not installed: apt-get install redis-server"


class PrivateRedis:
    """One server, which can be stopped, paused, killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        argv = [SERVER, "--port", "0", "--unixsocket", str(self.socket), "--save", ""]
        self.process = subprocess.Popen(
            [*argv, "--dir", str(self.folder), "--loglevel", "warning", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        until(lambda: self.answers() or self.process.poll() is not None)
        if self.process.poll() is not None:
            self.process = None
            assert options, f"{SERVER} ended"
            pytest.skip(f"{SERVER} does not start with {' '.join(options)}")

    def answers(self) -> bool:
        return self.cli("ping", check=False) in ("PONG", "NOAUTH Authentication required.")

    def cli(self, *command: str, check: bool = True) -> str:
        argv = ["redis-cli", "-s", str(self.socket), *command]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def keys(self, pattern: str = "*") -> list[str]:
        return self.cli("keys", pattern).split()

    def pause(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            self.process = None
            self.socket.unlink(missing_ok=True)


@pytest.fixture
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    """A running Redis; the test is skipped where there is none."""
    if not shutil.which(SERVER):
        pytest.skip(MISSING)
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()
