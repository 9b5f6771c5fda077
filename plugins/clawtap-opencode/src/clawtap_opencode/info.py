"""Name, looks, capabilities and modes of OpenCode."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M5 4h14v16H5z" fill="none" stroke="currentColor" stroke-width="2"/>'
    '<path d="M9 9h6v7H9z" fill="currentColor"/>'
)
_BRAND = Brand(
    color="#a78b6f", gradient=("#a78b6f", "#7d6650"), icon_type="opencode", icon=_ICON, ansi="33"
)

MODES = (
    Choice("build", "Build", "Works, and asks as its permissions say"),
    Choice("plan", "Plan", "Reads and plans, changes nothing"),
)

COMMANDS = Choice.slash_commands(
    {
        "/compact": "Shorten the conversation to a summary",
        "/init": "Write an AGENTS.md for this project",
        "/new": "Start over with an empty conversation",
        "/redo": "Bring back what was undone",
        "/undo": "Undo the last message and its changes",
    }
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the adapter's identity and capabilities."""
    return AdapterInfo(
        id="opencode",
        name="OpenCode",
        provider="Anomaly",
        brand=_BRAND,
        commands=("opencode", "opencode-ai"),
        version_argv=("opencode", "--version"),
        proved_versions=("1.17.19", "1.18.33"),
        install="npm install -g opencode-ai",
        file_mention="@{path}",
        capabilities=Capabilities(
            plan_mode=True,
            permission_modes=True,
            interrupt=True,
            resume=True,
            images=True,
            streaming=True,
            permission_mode_type="cycle",
        ),
        reports_questions=True,
        permission_modes=MODES,
        slash_commands=COMMANDS,
    )
