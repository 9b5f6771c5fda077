"""Name, looks, capabilities and modes of GitHub Copilot CLI."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M5 11a4 4 0 0 1 7-2.5A4 4 0 0 1 19 11v5c-4 4-10 4-14 0z" fill="none" '
    'stroke="currentColor" stroke-width="2"/>'
    '<path d="M9.5 13v2.5M14.5 13v2.5" stroke="currentColor" stroke-width="2"/>'
)
_BRAND = Brand(
    color="#8957e5", gradient=("#8957e5", "#5e3aa8"), icon_type="copilot", icon=_ICON, ansi="35"
)

MODES = (
    Choice("interactive", "Interactive", "Works, and asks before it changes anything"),
    Choice("plan", "Plan", "Reads and plans, changes nothing until you accept"),
    Choice("autopilot", "Autopilot", "Goes on by itself until the task is done"),
)

COMMANDS = Choice.slash_commands(
    {
        "/clear": "Start over with an empty conversation",
        "/compact": "Shorten the conversation to a summary",
        "/context": "Show how full the context is",
        "/init": "Write instructions for this project",
        "/usage": "Show what this session has used",
    }
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the adapter's identity and capabilities."""
    return AdapterInfo(
        id="copilot",
        name="GitHub Copilot CLI",
        provider="GitHub",
        brand=_BRAND,
        commands=("copilot",),
        version_argv=("copilot", "--version"),
        proved_versions=("1.0.64", "1.0.102"),
        install="npm install -g @github/copilot",
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
