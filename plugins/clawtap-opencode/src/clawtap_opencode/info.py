"""Name, looks, capabilities and modes of OpenCode."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M5 4h14v16H5z" fill="none" stroke="currentColor" stroke-width="2"/>'
    '<path d="M9 9h6v7H9z" fill="currentColor"/>'
)

MODES = (
    Choice("build", "Build", "Works, and asks as its permissions say"),
    Choice("plan", "Plan", "Reads and plans, changes nothing"),
)

COMMANDS = (
    Choice("/compact", "/compact", "Shorten the conversation to a summary"),
    Choice("/init", "/init", "Write an AGENTS.md for this project"),
    Choice("/new", "/new", "Start over with an empty conversation"),
    Choice("/redo", "/redo", "Bring back what was undone"),
    Choice("/undo", "/undo", "Undo the last message and its changes"),
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the adapter's identity and capabilities."""
    return AdapterInfo(
        id="opencode",
        name="OpenCode",
        provider="Anomaly",
        brand=Brand(
            color="#a78b6f",
            color_bg="#a78b6f22",
            gradient=("#a78b6f", "#7d6650"),
            glow="rgba(167,139,111,0.3)",
            icon_type="opencode",
            icon=_ICON,
            ansi="33",
        ),
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
            attach=True,
            images=True,
            streaming=True,
            permission_mode_type="cycle",
        ),
        permission_modes=MODES,
        slash_commands=COMMANDS,
    )
