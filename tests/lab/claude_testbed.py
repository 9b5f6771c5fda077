"""A testbed for Claude Code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawtap_claude.live import home as claude_home
from clawtap_claude.live.model import AnthropicModel
from cli_testbed import CliSession, CliTestbed, ProtocolCliSession
from clilab.desk import Desk, Seat
from clilab.environment import MCP_FORMS, environment
from clilab.install import install

from clawtap_core.testing import Served
from clawtap_core.testing.leaks import SOCKET_PREFIX


class ClaudeTestbed(CliTestbed):
    """One version of Claude Code, with everything around it."""

    rests_in = None

    def __init__(self, version: str, folder: Path) -> None:
        self.version = version
        self.home = folder / "home"
        self.folder = folder
        self.model = AnthropicModel().start()  # type: ignore[assignment]
        self.desk = Desk(f"{SOCKET_PREFIX}claude-{version.replace('.', '-')}")
        commands = install("claude", version)
        self.env = environment(
            self.home, commands, claude_home.environment(self.home, self.model.url)
        )
        # What is trusted includes the folders below. CLIs that run write this state, too.
        self.known = [folder]
        self.asked: dict[str, bool] = {}
        self.served = Served(folder, tmux_socket=self.desk.socket, env=self.env)

    @property
    def new(self) -> bool:
        """Whether it is the newer of the two versions."""
        return self.version != "2.1.85"

    def settle(self, *, more: Mapping[str, Any] | None = None, **settings: bool) -> None:
        """Rewrite the CLI's state; `more` is added to it."""
        self.asked = settings
        about = {name: value for name, value in settings.items() if name != "renderer"}
        state = claude_home.config(self.version, self.known, mcp_server=MCP_FORMS, **about)
        state.update(more or {})
        chosen = {name: settings.get(name, False) for name in ("renderer", "login")}
        claude_home.write_home(self.home, state, **chosen)

    def start(self, cwd: Path | None = None, **request: Any) -> CliSession:
        """A session that ClawTap starts, in a folder that the CLI knows."""
        cwd = cwd or self.project()
        self.known.append(cwd)
        self.settle(**self.asked)
        return super().start(cwd, **{"adapter": "claude", **request})

    def speak(self, cwd: Path | None = None, **request: Any) -> ProtocolCliSession:
        """A session of the channel `protocol`, in a folder that the CLI knows."""
        talk = self.start(cwd, channel="protocol", **request)
        assert isinstance(talk, ProtocolCliSession)
        return talk

    def sit(self, *more: str, cwd: Path | None = None) -> tuple[Seat, Path]:
        """A CLI that somebody at the desk started, ready, and its folder."""
        cwd = cwd or self.project()
        self.known.append(cwd)
        self.settle(**self.asked)
        argv = ("claude", "--permission-mode", "default", *more)
        seat = self.desk.open(argv, cwd, self.env)
        seat.see("❯", "shortcuts", seconds=60)
        return seat, cwd
