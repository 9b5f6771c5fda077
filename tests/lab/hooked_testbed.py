"""Testbeds in which the CLIs report by their hooks, installed as a user installs them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from claude_testbed import ClaudeTestbed
from clawtap_claude.live import home as claude_home
from cli_testbed import CliTestbed
from clilab.desk import Desk
from clilab.environment import MCP_FORMS

CLAWTAP = str(Path(sys.executable).with_name("clawtap"))
PAYLOAD = json.dumps({"tool_input": {"command": "x" * 100_000}}).encode()
SLOWED = 0.05
"""So many seconds a hook may take its CLI at most where no server runs."""


def hooks(testbed: CliTestbed, *words: str) -> Any:
    """Run `clawtap hooks`, in the environment of the testbed's user; what it prints."""
    command = (CLAWTAP, "hooks", *words, "--data-dir", str(testbed.served.data), "--json")
    done = subprocess.run(command, env=testbed.env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def hook_costs(settings: Path, env: Mapping[str, str], runs: int = 10) -> dict[str, float]:
    """How long each hook in a CLI's settings takes it, in seconds: the best of some runs.

    Each is run as the CLI runs it: its command by a shell, with a payload to read.
    """
    found = json.loads(settings.read_bytes())["hooks"]
    commands = {event: entries[-1]["hooks"][-1]["command"] for event, entries in found.items()}
    return {event: min(_took(each, env) for _ in range(runs)) for event, each in commands.items()}


def _took(command: str, env: Mapping[str, str]) -> float:
    began = time.monotonic()
    done = subprocess.run(command, shell=True, input=PAYLOAD, capture_output=True, env=env)
    took = time.monotonic() - began
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return took


@contextmanager
def unserved(testbed: CliTestbed, settings: Path) -> Iterator[Desk]:
    """The server is killed while the hooks stay, and none of them holds its CLI up; a desk.

    The files by which the bridge finds the server are left behind, as by any crash.
    """
    assert testbed.client.get("/healthz").status == 200
    testbed.served.kill()
    costs = hook_costs(settings, testbed.env)
    reported = ", ".join(f"{event} {cost * 1000:.1f} ms" for event, cost in costs.items())
    print(f"{testbed.version}, hooks without a server: {reported}")
    assert max(costs.values()) < SLOWED
    desk = Desk()
    try:
        yield desk
    finally:
        desk.close()
        testbed.served.start()


class HookedClaude(ClaudeTestbed):
    """Claude Code with our hooks; its settings are written once, as they are installed into."""

    def __init__(self, version: str, folder: Path) -> None:
        super().__init__(version, folder)
        super().settle()
        self.settings_before = self.settings_file.read_bytes()
        hooks(self, "install", "--adapter", "claude")

    @property
    def settings_file(self) -> Path:
        """What the hooks stand in."""
        return self.home / ".claude" / "settings.json"

    def settle(self, **settings: bool) -> None:
        """Rewrite the CLI's state, not its settings."""
        self.asked = settings
        state: Mapping[str, Any] = claude_home.config(
            self.version, self.known, mcp_server=MCP_FORMS, **settings
        )
        (self.home / ".claude" / ".claude.json").write_text(json.dumps(state), encoding="utf-8")
