"""Grounds on which the CLIs report by their hooks, installed as a user installs them."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claude_rig import ClaudeGround
from clilab import claude_home
from rig import Ground

CLAWTAP = str(Path(sys.executable).with_name("clawtap"))


def hooks(ground: Ground, *words: str) -> Any:
    """Run `clawtap hooks`, in the environment of the ground's user; what it prints."""
    command = (CLAWTAP, "hooks", *words, "--data-dir", str(ground.served.data), "--json")
    done = subprocess.run(command, env=ground.env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def hook_cost(ground: Ground, adapter: str, event: str, runs: int = 20) -> float:
    """How long a hook takes its CLI, in seconds: the median of some runs."""
    bridge = ground.served.data / "hooks" / "bridge"
    took = []
    for _ in range(runs):
        began = time.monotonic()
        subprocess.run((str(bridge), adapter, event), input=b"{}", env=ground.env, check=True)
        took.append(time.monotonic() - began)
    return statistics.median(took)


class HookedClaude(ClaudeGround):
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
        """Write the CLI's state anew, not its settings."""
        self.asked = settings
        state: Mapping[str, Any] = claude_home.config(self.version, self.known, **settings)
        (self.home / ".claude" / ".claude.json").write_text(json.dumps(state), encoding="utf-8")
