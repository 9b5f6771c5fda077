"""The adapter's name, brand, capabilities, models and modes."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

_ICON = (
    '<path d="M12 2.8 20 7.4v9.2l-8 4.6-8-4.6V7.4z" fill="none" stroke="currentColor"'
    ' stroke-width="1.8" stroke-linejoin="round"/>'
    '<path d="m8 9.2 3.2 2.8L8 14.8M12.8 15h3.4" fill="none" stroke="currentColor"'
    ' stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>'
)
_BRAND = Brand(
    color="#10a37f", gradient=("#10a37f", "#0d8a6a"), icon_type="codex", icon=_ICON, ansi="32"
)

PLAN, DEFAULT = "plan", "default"
MODES = (
    Choice(DEFAULT, "Default", "Works, and asks as its permissions say"),
    Choice(PLAN, "Plan", "Reads and plans, changes nothing"),
    Choice("read-only", "Read Only", "Asks before every edit and before internet access"),
    Choice("ask", "Ask for approval", "Edits the workspace, asks for the rest"),
    Choice("approve-for-me", "Approve for me", "Asks only for what looks unsafe"),
    Choice("full-access", "Full Access", "Edits anything, uses the internet, never asks"),
)
MODELS = (
    Choice("gpt-6-sol", "GPT-6-Sol", "For most tasks"),
    Choice("gpt-6-luna", "GPT-6-Luna", "Fast and affordable"),
    Choice("gpt-5.5", "GPT-5.5", "Legacy coding model"),
    Choice("gpt-5.4", "GPT-5.4", "Older versions of the CLI"),
)
EFFORTS = (
    Choice("low", "Low", "Fast, with lighter reasoning"),
    Choice("medium", "Medium", "Balances speed and depth"),
    Choice("high", "High", "For complex problems"),
    Choice("xhigh", "Extra high", "For the hardest problems"),
)


COMMANDS = Choice.slash_commands(
    {
        "/compact": "Shorten the conversation to a summary",
        "/diff": "Show what changed in git",
        "/init": "Write an AGENTS.md for this project",
        "/model": "Choose the model and how hard it thinks",
        "/new": "Start over with an empty conversation",
        "/review": "Review the changes and find issues",
        "/status": "Show the settings and the tokens used",
    }
)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Describe the Codex CLI."""
    return AdapterInfo(
        id="codex",
        name="Codex",
        provider="OpenAI",
        brand=_BRAND,
        commands=("codex",),
        version_argv=("codex", "--version"),
        proved_versions=("0.116.0", "0.169.0", "0.171.0"),
        install="npm install -g @openai/codex",
        capabilities=Capabilities(
            plan_mode=True,
            permission_modes=True,
            interrupt=True,
            resume=True,
            images=True,
            streaming=True,
            max_context_window=400_000,
            permission_mode_type="cycle",
            channels=("terminal", "protocol"),
        ),
        models=MODELS,
        permission_modes=MODES,
        effort_levels=EFFORTS,
        slash_commands=COMMANDS,
    )
