"""The testbeds and turns of all CLIs, for scripts that run on each of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from claude_testbed import ClaudeTestbed
from clawtap_claude.live import turns as claude_turns
from clawtap_codex.live import turns as codex_turns
from clawtap_gemini.live import turns as gemini_turns
from cli_testbed import CliTestbed
from codex_testbed import CodexTestbed
from copilot_testbed import CopilotTestbed
from kimi_testbed import KimiTestbed
from opencode_testbed import OpenCodeTestbed
from qwen_testbed import QwenTestbed

VERSIONS = (
    *(("claude", "2.1.331"), ("claude", "2.1.85")),
    *(("codex", "0.169.0"), ("codex", "0.116.0")),
    *(("gemini", "0.61.0"), ("gemini", "0.34.0")),
)
# The CLIs that no `Cli` describes.
OTHERS: dict[str, type[CliTestbed]] = {
    "copilot": CopilotTestbed,
    "kimi": KimiTestbed,
    "opencode": OpenCodeTestbed,
    "qwen": QwenTestbed,
}
OTHER_VERSIONS = (
    *(("copilot", "1.0.102"), ("copilot", "1.0.64")),
    *(("kimi", "2.1.0"), ("kimi", "0.30.0")),
    *(("opencode", "1.18.33"), ("opencode", "1.17.19")),
    *(("qwen", "0.24.4"), ("qwen", "0.15.10")),
)


@dataclass(frozen=True)
class Cli:
    """One CLI: its testbed, the model's turns, and what differs at its desk.

    `yes` is the key that allows; `last_words`, without blanks, end a permission on the screen.
    `reason_is_message`: the reason of a refusal is the user's next message. `refusal_stops`: it
    stops the turn, and with it a call that was allowed and has not ended.
    """

    name: str
    testbed: type[CliTestbed]
    turns: ModuleType
    yes: str
    last_words: str
    reason_is_message: bool = True
    refusal_stops: bool = False

    def open(self, version: str, folder: Path) -> CliTestbed:
        """Return a testbed of one version."""
        return self.testbed(version, folder)


CLIS = {
    "claude": Cli(
        "claude", ClaudeTestbed, claude_turns, "1", "Esctocancel", reason_is_message=False
    ),
    "codex": Cli("codex", CodexTestbed, codex_turns, "y", "No,andtellCodex", refusal_stops=True),
    "gemini": Cli("gemini", CliTestbed, gemini_turns, "1", "No,suggestchanges"),
}
