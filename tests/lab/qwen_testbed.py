"""A testbed for Qwen Code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clawtap_qwen.live import home
from cli_testbed import CliSession, CliTestbed
from clilab.desk import Desk
from clilab.environment import MCP_SERVER, environment
from clilab.install import install

from clawtap_core.testing import Served
from clawtap_core.testing.leaks import SOCKET_PREFIX
from clawtap_core.testing.scripted.chat_model import ChatModel


class QwenTestbed(CliTestbed):
    """One version of Qwen Code, with everything around it."""

    def __init__(self, version: str, folder: Path) -> None:
        self.version = version
        self.home = folder / "home"
        self.folder = folder
        self.model = ChatModel().start()  # type: ignore[assignment]
        self.desk = Desk(f"{SOCKET_PREFIX}qwen-{version.replace('.', '-')}")
        self.env = environment(
            self.home, install("qwen", version), home.environment(self.model.url)
        )
        self.settle()
        self.served = Served(folder, tmux_socket=self.desk.socket, env=self.env)

    def settle(self, **settings: Any) -> None:
        """Rewrite the CLI's settings."""
        home.write_home(self.home, home.settings(mcp_server=MCP_SERVER, **settings))

    def start(self, cwd: Path | None = None, **request: Any) -> CliSession:
        """A session that ClawTap starts."""
        return super().start(cwd, **{"adapter": "qwen", **request})
