"""The testbeds and turns of all CLIs, for scripts that run on each of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from claude_testbed import ClaudeTestbed
from clawtap_claude.live import turns as claude_turns
from clawtap_codex.live import turns as codex_turns
from clawtap_copilot.live import turns as copilot_turns
from clawtap_gemini.live import turns as gemini_turns
from clawtap_kimi.live import turns as kimi_turns
from clawtap_opencode.live import turns as opencode_turns
from clawtap_qwen.live import turns as qwen_turns
from cli_testbed import CliTestbed
from codex_testbed import CodexTestbed
from copilot_testbed import CopilotTestbed
from kimi_testbed import KimiTestbed
from opencode_testbed import OpenCodeTestbed
from qwen_testbed import QwenTestbed

VERSIONS = (
    *(("claude", "2.1.332"), ("claude", "2.1.85")),
    *(("codex", "0.169.0"), ("codex", "0.116.0")),
    *(("gemini", "0.61.0"), ("gemini", "0.34.0")),
)
OTHER_VERSIONS = (
    *(("copilot", "1.0.102"), ("copilot", "1.0.64")),
    *(("kimi", "2.1.0"), ("kimi", "0.30.0")),
    *(("opencode", "1.18.33"), ("opencode", "1.17.19")),
    *(("qwen", "0.24.4"), ("qwen", "0.15.10")),
)
EVERY_VERSION = VERSIONS + OTHER_VERSIONS
ESCAPE = "\x1b"


@dataclass(frozen=True)
class Cli:
    """One CLI: its testbed, the model's turns, and what differs at its desk.

    `yes` is the key that allows; `no` one that refuses, and does nothing to a turn if it comes too
    late: by default the number of the last row. So many `escapes` stop a turn. `last_words`,
    without blanks, end a permission on the screen; the others have none. `other_mode` is one to
    change to for a moment. `reason_is_message`: the reason of a refusal is the user's next message.
    `refusal_stops`: it stops the turn, and with it a call that was allowed and has not ended.
    `reads_images`: an image that goes with a message reaches the model, not only its path, which
    stands behind `mention`; `asks_to_read`: it asks first.
    """

    name: str
    testbed: type[CliTestbed]
    turns: ModuleType
    yes: str
    other_mode: str
    last_words: str = ""
    no: str = ""
    escapes: int = 1
    reason_is_message: bool = True
    refusal_stops: bool = False
    reads_images: bool = False
    asks_to_read: bool = False
    mention: str = "@"

    def open(self, version: str, folder: Path) -> CliTestbed:
        """Return a testbed of one version."""
        return self.testbed(version, folder)


CLIS = {
    "claude": Cli(
        *("claude", ClaudeTestbed, claude_turns, "1", "acceptEdits", "Esctocancel"),
        reason_is_message=False,
        reads_images=True,
    ),
    "codex": Cli(
        *("codex", CodexTestbed, codex_turns, "y", "plan", "No,andtellCodex"),
        refusal_stops=True,
        mention="",
    ),
    "gemini": Cli(
        *("gemini", CliTestbed, gemini_turns, "1", "auto_edit", "No,suggestchanges"),
        reads_images=True,
        asks_to_read=True,
    ),
}
# Those that not every script tries.
OTHERS = {
    "copilot": Cli(
        *("copilot", CopilotTestbed, copilot_turns, "1", "plan"),
        no=ESCAPE,
        escapes=2,
        reason_is_message=False,
        reads_images=True,
    ),
    "kimi": Cli(
        *("kimi", KimiTestbed, kimi_turns, "1", "plan"),
        reason_is_message=False,
    ),
    "opencode": Cli(
        *("opencode", OpenCodeTestbed, opencode_turns, "\r", "plan"),
        no=ESCAPE,
        escapes=2,
    ),
    "qwen": Cli("qwen", QwenTestbed, qwen_turns, "1", "auto-edit"),
}
EVERY_CLI = {**CLIS, **OTHERS}


def tried_on(versions: tuple[tuple[str, str], ...]) -> pytest.MarkDecorator:
    """Return the mark of a module that is tried on these versions."""
    return pytest.mark.parametrize("testbed", versions, ids="-".join, indirect=True, scope="module")


on_every_version = tried_on(EVERY_VERSION)
on_the_others = tried_on(OTHER_VERSIONS)
