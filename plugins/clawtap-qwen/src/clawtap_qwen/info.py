"""Name, looks, capabilities and modes of Qwen Code."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M12 3l7.8 4.5v9L12 21l-7.8-4.5v-9z" fill="none" stroke="currentColor"'
    ' stroke-width="2"/>'
    '<path d="M12 8l3.5 2v4L12 16l-3.5-2v-4z" fill="currentColor"/>'
)
_BRAND = Brand(
    color="#7c6cf0", gradient=("#7c6cf0", "#5b49d6"), icon_type="qwen", icon=_ICON, ansi="35"
)

MODES = (
    Choice("default", "Default", "Asks before each tool that changes something"),
    Choice("auto-edit", "Auto edit", "Approves edits by itself, asks for the rest"),
    Choice("auto", "Auto", "A model judges each call; only newer versions have it"),
    Choice("plan", "Plan", "Reads and plans, changes nothing"),
    Choice("yolo", "YOLO", "Approves everything by itself"),
)

COMMANDS = Choice.slash_commands(
    {
        "/about": "Show version and environment",
        "/clear": "Start over with an empty conversation",
        "/compress": "Shorten the conversation to a summary",
        "/init": "Write a QWEN.md for this project",
        "/model": "Choose the model",
        "/stats": "Show how much was used",
        "/tools": "List the tools",
    }
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the adapter's identity and capabilities."""
    return AdapterInfo(
        id="qwen",
        name="Qwen Code",
        provider="Alibaba",
        brand=_BRAND,
        commands=("qwen", "qwen-code"),
        version_argv=("qwen", "--version"),
        proved_versions=("0.15.10", "0.24.4"),
        install="npm install -g @qwen-code/qwen-code",
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
        reports_questions=True,
        permission_modes=MODES,
        slash_commands=COMMANDS,
    )
