"""The CLIs that the desk knows: what the page shows of them is real where an adapter has it."""

from __future__ import annotations

from clawtap_claude import info as claude_info
from clawtap_codex import info as codex_info
from clawtap_gemini import info as gemini_info

from clawtap_core.model import (
    AdapterInfo,
    Brand,
    Capabilities,
    Choice,
)

GEMINI = AdapterInfo(
    "gemini",
    "Gemini CLI",
    "Google",
    gemini_info.adapter_info().brand,
    commands=("gemini",),
    install="npm install -g @google/gemini-cli",
    capabilities=Capabilities(interrupt=True, permission_modes=True, resume=True),
    models=(Choice("auto", "Auto"), Choice("pro", "2.5 Pro"), Choice("flash", "2.5 Flash")),
    permission_modes=(
        Choice("default", "Default", "asks before each tool"),
        Choice("auto_edit", "Auto edit", "approves edits"),
        Choice("yolo", "YOLO", "approves everything"),
    ),
    slash_commands=gemini_info.COMMANDS,
    proved_versions=("0.34.0", "0.61.0"),
)
DEMO = AdapterInfo(
    "demo",
    "Demo agent",
    "ClawTap",
    Brand(color="#0d9488", gradient=("#14b8a6", "#0f766e")),
    commands=("clawtap-demo",),
    capabilities=Capabilities(interrupt=True),
)
CLAUDE = AdapterInfo(
    "claude",
    "Claude Code",
    "Anthropic",
    claude_info.adapter_info().brand,
    commands=("claude",),
    capabilities=Capabilities(
        interrupt=True, permission_modes=True, resume=True, channels=("terminal", "protocol")
    ),
    models=(Choice("opus", "Opus"), Choice("sonnet", "Sonnet")),
    permission_modes=(Choice("default", "Default"), Choice("plan", "Plan")),
    effort_levels=(Choice("low", "Low"), Choice("high", "High")),
    proved_versions=("2.1.85", "2.1.332"),
)
CODEX = AdapterInfo(
    "codex",
    "Codex CLI",
    "OpenAI",
    codex_info.adapter_info().brand,
    commands=("codex",),
    install="npm install -g @openai/codex",
    capabilities=Capabilities(interrupt=True),
)
