"""A testbed for Kimi Code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clawtap_kimi.live import home
from cli_testbed import CliSession, CliTestbed
from clilab.desk import Desk
from clilab.environment import MCP_SERVER, environment
from clilab.install import install

from clawtap_core.testing import Served
from clawtap_core.testing.leaks import SOCKET_PREFIX
from clawtap_core.testing.scripted.chat_model import ChatModel


class KimiTestbed(CliTestbed):
    """One version of Kimi Code, with everything around it."""

    rests_in = "manual"

    def __init__(self, version: str, folder: Path) -> None:
        self.version = version
        self.home = folder / "home"
        self.folder = folder
        self.model = ChatModel().start()  # type: ignore[assignment]
        self.desk = Desk(f"{SOCKET_PREFIX}kimi-{version.replace('.', '-')}")
        self.env = environment(self.home, install("kimi", version), home.environment())
        self.settle()
        self.served = Served(folder, tmux_socket=self.desk.socket, env=self.env)

    @property
    def reports_calls(self) -> bool:
        """Whether the file of a conversation has a call while its prompt is open, and errors."""
        return self.version != "0.30.0"

    @property
    def asks_trust(self) -> bool:
        """Whether a folder has to be trusted."""
        return self.version != "0.30.0"

    def settle(self, **settings: Any) -> None:
        """Rewrite the CLI's settings."""
        home.write_home(self.home, self.model.url, mcp_server=MCP_SERVER)

    def project(self) -> Path:
        """A new folder for a CLI to work in, which it trusts."""
        folder = super().project()
        home.trust(self.home, folder)
        return folder

    def start(self, cwd: Path | None = None, **request: Any) -> CliSession:
        """A session that ClawTap starts."""
        return super().start(cwd, **{"adapter": "kimi", **request})
