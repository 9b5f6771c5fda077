"""Name, looks, capabilities and modes of Kimi Code."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M16 4a8.5 8.5 0 1 0 4 12a7 7 0 0 1-4-12z" fill="none" stroke="currentColor"'
    ' stroke-width="2" stroke-linejoin="round"/>'
)

MANUAL, PLAN = "manual", "plan"
MODES = (
    Choice(MANUAL, "Always ask", "Reads by itself, asks for everything else"),
    Choice(PLAN, "Plan", "Reads and plans, changes nothing until you approve"),
    Choice("yolo", "Ask when needed", "Runs what is routine, asks for what is risky"),
    Choice("auto", "Never ask", "Runs and decides everything by itself"),
)

COMMANDS = (
    Choice("/help", "/help", "Show keys and commands"),
    Choice("/init", "/init", "Write an AGENTS.md for this project"),
    Choice("/new", "/new", "Start over with an empty conversation"),
    Choice("/status", "/status", "Show session, model and context"),
    Choice("/usage", "/usage", "Show what this session has used"),
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the adapter's identity and capabilities."""
    return AdapterInfo(
        id="kimi",
        name="Kimi Code",
        provider="Moonshot AI",
        brand=Brand(
            color="#3b82d9",
            color_bg="#3b82d922",
            gradient=("#3b82d9", "#1f5aa8"),
            glow="rgba(59,130,217,0.3)",
            icon_type="kimi",
            icon=_ICON,
            ansi="34",
        ),
        commands=("kimi", "kimi-code"),
        version_argv=("kimi", "--version"),
        proved_versions=("0.30.0", "2.1.0"),
        install="npm install -g @moonshot-ai/kimi-code",
        file_mention="@{path}",
        capabilities=Capabilities(
            plan_mode=True,
            permission_modes=True,
            interrupt=True,
            resume=True,
            attach=True,
            images=True,
            streaming=True,
            permission_mode_type="cycle",
            channels=("terminal", "protocol"),
        ),
        permission_modes=MODES,
        slash_commands=COMMANDS,
    )
