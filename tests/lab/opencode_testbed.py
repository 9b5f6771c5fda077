"""A testbed for OpenCode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clawtap_opencode.live import home
from cli_testbed import CliSession, CliTestbed
from clilab.desk import Desk
from clilab.environment import environment
from clilab.install import install

from clawtap_core.testing import Served
from clawtap_core.testing.leaks import SOCKET_PREFIX
from clawtap_core.testing.scripted.chat_model import ChatModel


class OpenCodeTestbed(CliTestbed):
    """One version of OpenCode, with everything around it."""

    rests_in = "build"
    # On a busy machine it sends the first message of a session 25 s after its Enter, and shows the
    # prompt 14 s after the answer to that.
    patience = 150.0

    def __init__(self, version: str, folder: Path) -> None:
        self.version = version
        self.home = folder / "home"
        self.folder = folder
        self.model = ChatModel().start()  # type: ignore[assignment]
        self.desk = Desk(f"{SOCKET_PREFIX}opencode-{version.replace('.', '-')}")
        self.env = environment(self.home, install("opencode", version), home.environment())
        self.settle()
        verbose = ("--log-level", "debug")
        self.served = Served(folder, tmux_socket=self.desk.socket, env=self.env, arguments=verbose)

    def settle(self, **settings: Any) -> None:
        """Rewrite the CLI's settings."""
        home.write_home(self.home, home.settings(self.model.url, **settings))

    def start(self, cwd: Path | None = None, **request: Any) -> CliSession:
        """A session that ClawTap starts."""
        return super().start(cwd, **{"adapter": "opencode", **request})
