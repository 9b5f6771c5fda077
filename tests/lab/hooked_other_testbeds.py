"""Testbeds of Codex and of the Gemini CLI with our hooks, installed as a user installs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clawtap_codex.live import home as codex_home
from cli_testbed import CliTestbed
from clilab.environment import MCP_FORMS
from codex_testbed import CodexTestbed
from hooked_testbed import hooks


class HookedGemini(CliTestbed):
    """The Gemini CLI with our hooks; its settings are written once, then installed into."""

    def __init__(self, version: str, folder: Path) -> None:
        self.installed = False
        super().__init__(version, folder)
        self.before = self.settings_file.read_bytes()
        hooks(self, "install", "--adapter", "gemini")
        self.installed = True

    @property
    def settings_file(self) -> Path:
        """What the hooks stand in."""
        return self.home / ".gemini" / "settings.json"

    def settle(self, **settings: bool) -> None:
        """Rewrite the CLI's settings, as long as nothing is installed into them."""
        if not self.installed:
            super().settle(**settings)


class HookedCodex(CodexTestbed):
    """Codex with our hooks; it trusts the folders below, and its settings trust the hooks."""

    def __init__(self, version: str, folder: Path) -> None:
        super().__init__(version, folder)
        self.folders = [folder / f"proj-{name}" for name in "abcdefghijkl"]
        config = codex_home.settings(version, self.model.url, self.folders, mcp_server=MCP_FORMS)
        codex_home.write_home(self.home, config)
        self.before = self.config_file.read_bytes()
        self.installed = hooks(self, "install", "--adapter", "codex")["hooks"][0]

    @property
    def config_file(self) -> Path:
        """The CLI's own settings, into which old versions need a switch."""
        return self.home / ".codex" / "config.toml"

    @property
    def hooks_file(self) -> Path:
        """What the hooks stand in."""
        return self.home / ".codex" / "hooks.json"

    @property
    def words(self) -> list[str]:
        """Arguments for every start: new versions would ask whether the hooks are trusted."""
        new = self.version != "0.116.0"
        return [*self.flags, *(["--dangerously-bypass-hook-trust"] if new else [])]

    def settle(self, **settings: bool) -> None:
        """Nothing: settings are written once."""

    def project(self) -> Path:
        """One of the folders that are trusted."""
        made = super().project()
        folder = self.folders.pop(0)
        made.rename(folder)
        return folder

    def start(self, cwd: Path | None = None, **request: Any) -> Any:
        """A session in a trusted folder, with hooks that need no review."""
        return super().start(cwd, **{"args": self.words, **request})
