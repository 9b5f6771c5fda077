"""Which CLI hooks are installed, and where."""

from __future__ import annotations

import re
from typing import Any

from clawtap_codex.cli_hooks.parse import EVENTS
from clawtap_core import HookConfig, HookEndpoint, hookimpl

_TIMEOUT = 5
_OLD_EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
_FEATURE = {"features": {"codex_hooks": True}}
_VERSION = re.compile(r"(\d+)\.(\d+)")
# The first version whose hooks are on without a feature flag.
_HOOKS_ON = (0, 117)
_NOTE = "at its next start Codex asks once whether you trust the new hooks: trust them."


@hookimpl
def hook_config(endpoint: HookEndpoint) -> HookConfig:
    """Return the hooks to install; older versions have few, behind a feature flag."""
    folder = endpoint.env.get("CODEX_HOME") or ".codex"
    old = _old(endpoint.version)
    events = _OLD_EVENTS if old else EVENTS
    hooks = {event: [_entry(endpoint, event)] for event in events}
    switched = (HookConfig(f"{folder}/config.toml", _FEATURE),) if old else ()
    return HookConfig(f"{folder}/hooks.json", {"hooks": hooks}, switched, "" if old else _NOTE)


def _old(version: str | None) -> bool:
    found = _VERSION.match(version or "")
    return found is not None and (int(found[1]), int(found[2])) < _HOOKS_ON


def _entry(endpoint: HookEndpoint, event: str) -> dict[str, Any]:
    command = endpoint.command("codex", event)
    return {"hooks": [{"type": "command", "command": command, "timeout": _TIMEOUT}]}
