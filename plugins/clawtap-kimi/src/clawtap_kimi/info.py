"""Name, looks, capabilities and modes of Kimi Code."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M16 4a8.5 8.5 0 1 0 4 12a7 7 0 0 1-4-12z" fill="none" stroke="currentColor"'
    ' stroke-width="2" stroke-linejoin="round"/>'
)
_BRAND = Brand(
    color="#3b82d9", gradient=("#3b82d9", "#1f5aa8"), icon_type="kimi", icon=_ICON, ansi="34"
)

MANUAL, PLAN = "manual", "plan"
MODES = (
    Choice(MANUAL, "Always ask", "Reads by itself, asks for everything else"),
    Choice(PLAN, "Plan", "Reads and plans, changes nothing until you approve"),
    Choice("yolo", "Ask when needed", "Runs what is routine, asks for what is risky"),
    Choice("auto", "Never ask", "Runs and decides everything by itself"),
)

COMMANDS = Choice.slash_commands(
    {
        "/help": "Show keys and commands",
        "/init": "Write an AGENTS.md for this project",
        "/new": "Start over with an empty conversation",
        "/status": "Show session, model and context",
        "/usage": "Show what this session has used",
    }
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the adapter's identity and capabilities."""
    return AdapterInfo(
        id="kimi",
        name="Kimi Code",
        provider="Moonshot AI",
        brand=_BRAND,
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
            images=True,
            streaming=True,
            permission_mode_type="cycle",
            channels=("terminal", "protocol"),
        ),
        permission_modes=MODES,
        slash_commands=COMMANDS,
    )
