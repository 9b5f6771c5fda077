"""A testbed for GitHub Copilot CLI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clawtap_copilot.live import home
from clawtap_copilot.live.model import CopilotModel
from cli_testbed import CliSession, CliTestbed
from clilab.desk import Desk
from clilab.environment import MCP_SERVER, environment
from clilab.install import install

from clawtap_core.testing import Served
from clawtap_core.testing.leaks import SOCKET_PREFIX


class CopilotTestbed(CliTestbed):
    """One version of the CLI, with everything around it."""

    rests_in = "interactive"

    def __init__(self, version: str, folder: Path) -> None:
        self.version = version
        self.home = folder / "home"
        self.folder = folder
        self.model = CopilotModel().start()  # type: ignore[assignment]
        self.desk = Desk(f"{SOCKET_PREFIX}copilot-{version.replace('.', '-')}")
        commands = install("copilot", version)
        self.env = environment(self.home, commands, home.environment(self.model.url))
        self.settle()
        self.served = Served(folder, tmux_socket=self.desk.socket, env=self.env)

    def settle(self, **settings: Any) -> None:
        """Rewrite the CLI's settings."""
        home.write_home(self.home, self.folder, **{"mcp_server": MCP_SERVER, **settings})

    def start(self, cwd: Path | None = None, **request: Any) -> CliSession:
        """A session that ClawTap starts."""
        return super().start(cwd, **{"adapter": "copilot", **request})
