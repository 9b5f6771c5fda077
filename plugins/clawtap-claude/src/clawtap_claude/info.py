"""Describe the adapter."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M12 3v18M3 12h18M5.6 5.6l12.8 12.8M18.4 5.6L5.6 18.4" fill="none"'
    ' stroke="currentColor" stroke-width="2.2" stroke-linecap="round"/>'
)
_BRAND = Brand(
    color="#d97757",
    gradient=("#d97757", "#b85c3c"),
    icon_type="claude",
    icon=_ICON,
    ansi="38;5;173",
)

MODES = (
    Choice("default", "Default", "Asks before each tool that changes something"),
    Choice("acceptEdits", "Accept edits", "Edits files by itself, asks for the rest"),
    Choice("plan", "Plan", "Reads and plans, changes nothing"),
    Choice("auto", "Auto", "Checks each action by itself, and seldom asks"),
    Choice("bypassPermissions", "Bypass permissions", "Never asks; for sandboxes only"),
)
MODELS = (
    Choice("default", "Default", "The one recommended for the account"),
    Choice("opus", "Opus", "For complex tasks"),
    Choice("sonnet", "Sonnet", "For routine tasks"),
    Choice("haiku", "Haiku", "Fastest"),
)
EFFORTS = (
    Choice("low", "Low"),
    Choice("medium", "Medium"),
    Choice("high", "High"),
    Choice("max", "Max"),
)


COMMANDS = Choice.slash_commands(
    {
        "/clear": "Start over with an empty conversation",
        "/compact": "Shorten the conversation to a summary",
        "/context": "Show what fills the context",
        "/effort": "Choose how hard the model thinks",
        "/init": "Write a CLAUDE.md for this project",
        "/model": "Choose the model",
        "/resume": "Go on with an earlier conversation",
        "/security-review": "Review the changes for security",
    }
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return Claude Code's name, looks, capabilities, models and permission modes."""
    return AdapterInfo(
        id="claude",
        name="Claude",
        provider="Anthropic",
        brand=_BRAND,
        commands=("claude", "claude-code"),
        version_argv=("claude", "--version"),
        proved_versions=("2.1.85", "2.1.332"),
        install="npm install -g @anthropic-ai/claude-code",
        file_mention="@{path}",
        capabilities=Capabilities(
            plan_mode=True,
            permission_modes=True,
            interrupt=True,
            resume=True,
            status_line=True,
            images=True,
            streaming=True,
            refusal_reason=True,
            max_context_window=200_000,
            permission_mode_type="cycle",
            channels=("terminal", "protocol", "hook"),
        ),
        models=MODELS,
        permission_modes=MODES,
        effort_levels=EFFORTS,
        slash_commands=COMMANDS,
    )
