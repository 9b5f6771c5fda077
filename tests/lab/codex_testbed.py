"""A testbed for the Codex CLI."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from clawtap_codex.live import home as codex_home
from clawtap_codex.live.model import OpenAIModel
from cli_testbed import CliSession, CliTestbed
from clilab.desk import Desk, Seat
from clilab.environment import MCP_FORMS, environment
from clilab.install import install

from clawtap_core.testing import Served
from clawtap_core.testing.leaks import SOCKET_PREFIX

READY = "default ·"
"""What stands in the status line once the CLI is ready: the effort of its model."""
_DAEMON = (0, 150, 0)  # 0.145.0 has none, 0.157.0 has one


class CodexTestbed(CliTestbed):
    """One version of the Codex CLI, with everything around it."""

    rests_in = None

    def __init__(self, version: str, folder: Path) -> None:
        self.version = version
        self.home = folder / "home"
        self.folder = folder
        self.model = OpenAIModel().start()  # type: ignore[assignment]
        self.desk = Desk(f"{SOCKET_PREFIX}codex-{version.replace('.', '-')}")
        commands = install("codex", version)
        scratch = folder / "scratch"  # must not hold its HOME
        scratch.mkdir(parents=True, exist_ok=True)
        own = {**codex_home.environment(self.home), "TMPDIR": str(scratch)}
        self.env = environment(self.home, commands, own)
        self.trusted: set[Path] = set()
        self.asked: dict[str, bool] = {}
        self.served = Served(folder, tmux_socket=self.desk.socket, env=self.env)

    @property
    def flags(self) -> list[str]:
        """Arguments for every start: without the daemon, which would outlive the test."""
        return ["--no-daemon"] if tuple(map(int, self.version.split("."))) >= _DAEMON else []

    def settle(self, **settings: bool) -> None:
        """Rewrite the CLI's settings; `trust=False` has it ask about folders."""
        self.asked = settings
        chosen = {name: value for name, value in settings.items() if name != "trust"}
        trusted = sorted(self.trusted) if settings.get("trust", True) else []
        config = codex_home.settings(
            self.version, self.model.url, trusted, mcp_server=MCP_FORMS, **chosen
        )
        for name in ("migrate", "agents"):
            chosen.pop(name, None)
        codex_home.write_home(self.home, config, **chosen)

    def project(self) -> Path:
        """A new repository for a CLI to work in: it asks about trust in those only."""
        folder = super().project()
        subprocess.run(("git", "init", "--quiet", str(folder)), check=True)
        return folder

    def start(self, cwd: Path | None = None, **request: Any) -> CliSession:
        """A session that ClawTap starts, in a folder that is trusted."""
        cwd = cwd or self.project()
        self.trusted.add(cwd)
        self.settle(**self.asked)
        body = {"adapter": "codex", "args": self.flags, **request}
        return super().start(cwd, **body)

    def sit(self, *more: str, cwd: Path | None = None) -> tuple[Seat, Path]:
        """A CLI that somebody at the desk started, ready, and its folder."""
        cwd = cwd or self.project()
        self.trusted.add(cwd)
        self.settle(**self.asked)
        seat = self.desk.open(("codex", *self.flags, *more), cwd, self.env)
        seat.see(READY, seconds=60)
        return seat, cwd
