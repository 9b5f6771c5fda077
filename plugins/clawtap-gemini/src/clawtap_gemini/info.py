"""Name, looks, capabilities, models and modes of Gemini CLI."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M11 3c.6 4.6 3.4 7.4 8 8-4.6.6-7.4 3.4-8 8-.6-4.6-3.4-7.4-8-8 4.6-.6 7.4-3.4 8-8z"'
    ' fill="currentColor"/>'
    '<path d="M18.5 16c.3 1.6 1.4 2.7 3 3-1.6.3-2.7 1.4-3 3-.3-1.6-1.4-2.7-3-3 1.6-.3 2.7-1.4 3-3z"'
    ' fill="currentColor"/>'
)
_BRAND = Brand(
    color="#4285f4", gradient=("#4285f4", "#1a73e8"), icon_type="gemini", icon=_ICON, ansi="34"
)

MODES = (
    Choice("default", "Default", "Asks before each tool that changes something"),
    Choice("auto_edit", "Auto edit", "Approves edits by itself, asks for the rest"),
    Choice("plan", "Plan", "Reads and plans, changes nothing"),
    Choice("yolo", "YOLO", "Approves everything by itself"),
)
MODELS = (
    Choice("auto", "Auto", "The CLI chooses a model for each task"),
    Choice("pro", "Pro", "For hard tasks"),
    Choice("flash", "Flash", "Fast"),
    Choice("flash-lite", "Flash Lite", "Fastest"),
)


COMMANDS = Choice.slash_commands(
    {
        "/about": "Show version and environment",
        "/clear": "Start over with an empty conversation",
        "/compress": "Shorten the conversation to a summary",
        "/init": "Write a GEMINI.md for this project",
        "/memory show": "Show what the CLI remembers",
        "/model": "Choose the model",
        "/settings": "Look at the settings and change them",
        "/stats": "Show how much was used",
        "/tools": "List the tools",
    }
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the adapter's identity and capabilities."""
    return AdapterInfo(
        id="gemini",
        name="Gemini",
        provider="Google",
        brand=_BRAND,
        commands=("gemini", "gemini-cli"),
        version_argv=("gemini", "--version"),
        proved_versions=("0.34.0", "0.61.0"),
        install="npm install -g @google/gemini-cli",
        file_mention="@{path}",
        capabilities=Capabilities(
            plan_mode=True,
            permission_modes=True,
            interrupt=True,
            resume=True,
            images=True,
            streaming=True,
            max_context_window=1_000_000,
            permission_mode_type="cycle",
            channels=("terminal", "protocol"),
            unanswerable=("protocol:question",),
        ),
        models=MODELS,
        permission_modes=MODES,
        slash_commands=COMMANDS,
    )
