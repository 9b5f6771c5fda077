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
_NOTE = "at its next start Codex asks once whether you trust the new hooks: trust them."


@hookimpl
def hook_config(endpoint: HookEndpoint) -> HookConfig:
    """Return the hooks to install; older versions have few, behind a feature flag."""
    folder = endpoint.env.get("CODEX_HOME") or ".codex"
    version = _VERSION.match(endpoint.version or "")
    # 0.117 is the first version whose hooks are on without a feature flag.
    old = version is not None and (int(version[1]), int(version[2])) < (0, 117)
    hooks: dict[str, Any] = {}
    for event in _OLD_EVENTS if old else EVENTS:
        command = endpoint.command("codex", event)
        hook = {"type": "command", "command": command, "timeout": _TIMEOUT}
        hooks[event] = [{"hooks": [hook]}]
    switched = (HookConfig(f"{folder}/config.toml", _FEATURE),) if old else ()
    return HookConfig(f"{folder}/hooks.json", {"hooks": hooks}, switched, "" if old else _NOTE)
