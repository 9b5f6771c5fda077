"""A desk in a process of its own, to click on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from clawtap_core.testing.server_process import free_port

FOLDER = Path(__file__).parents[1]
TOKEN = "webdesk-token"


@dataclass
class Served:
    """A desk in a process of its own, that can be steered and restarted."""

    port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = field(default=None)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, epoch: str = "e1") -> None:
        """Start, and wait until it answers."""
        environment = {**os.environ, "PYTHONPATH": str(FOLDER)}
        command = [sys.executable, "-m", "webdesk", str(self.port), str(self.folder), epoch]
        self.process = subprocess.Popen(command, env=environment)
        until = time.monotonic() + 90
        try:
            while not self._answers():
                assert self.process.poll() is None, "the desk ended"
                assert time.monotonic() < until, "the desk does not answer"
                time.sleep(0.05)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Kill it, as a crash would."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def do(self, what: str, **given: Any) -> str:
        """Play the CLI, or the person at the desk; the id of what came of it."""
        return str(self._call(f"/desk/{what}", given).get("id", ""))

    def write(self, session: str, text: str) -> None:
        """Let the CLI write something now."""
        at = datetime.now(timezone.utc).isoformat()
        content = [{"type": "text", "text": text}]
        message = {"id": text, "role": "assistant", "content": content, "at": at}
        self.do("say", session=session, message=message)

    def said(self) -> list[dict[str, Any]]:
        """What reached the agent side."""
        found: list[dict[str, Any]] = self._call("/desk/said", None)
        return found

    def _call(self, path: str, given: dict[str, Any] | None) -> Any:
        data = None if given is None else json.dumps(given).encode()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}{path}", data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def _answers(self) -> bool:
        """Whether it is this desk that answers: another server may have got its port."""
        try:
            self.said()
        except OSError:
            return False
        return True


def started(folder: Path) -> Iterator[Served]:
    """A desk on a free port, until the iterator goes on."""
    served = Served(free_port(), folder)
    try:
        served.start()
    except AssertionError:  # another process took the port first
        served = Served(free_port(), folder)
        served.start()
    try:
        yield served
    finally:
        served.stop()
