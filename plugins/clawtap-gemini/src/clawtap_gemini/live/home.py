"""A HOME for the Gemini CLI in which it starts without a dialog, or with the one that is wanted."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MODEL = "gemini-2.5-pro"


def settings(
    *,
    auth: bool = True,
    ask_trust: bool = False,
    ask_ide: bool = False,
    permanent: bool = False,
    mcp_server: Path | None = None,
    servers: Mapping[str, Any] | None = None,
    hooks: Mapping[str, Any] | None = None,
    ui: Mapping[str, Any] | None = None,
    vim: bool = False,
    update: bool = False,
) -> dict[str, Any]:
    """The CLI's settings. `permanent` offers "for all future sessions"; `mcp_server`, a
    script, is added as `lab` to the user's `servers`, and `hooks` are the user's own."""
    security: dict[str, Any] = {"folderTrust": {"enabled": ask_trust}}
    if auth:
        security["auth"] = {"selectedType": "gemini-api-key"}
    if permanent:
        security["enablePermanentToolApproval"] = True
    server = {"command": sys.executable, "args": [str(mcp_server)]}
    lab = {"lab": server} if mcp_server else {}
    return {
        "security": security,
        "ide": {"hasSeenNudge": not ask_ide},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": update,
            "vimMode": vim,
        },
        "ui": dict(ui or {}),
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "model": {"name": MODEL},
        "mcpServers": {**lab, **(servers or {})},
        "hooks": dict(hooks or {}),
    }


def write_home(home: Path, values: Mapping[str, Any]) -> None:
    """Write the settings into a HOME."""
    folder = home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
    # It offers to connect an editor where it runs in the terminal of one; tmux hides most.
    editor = "" if values["ide"]["hasSeenNudge"] else "TERMINAL_EMULATOR=JetBrains-JediTerm\n"
    (folder / ".env").write_text(editor, encoding="utf-8")


def environment(model_url: str, *, key: bool = True) -> dict[str, str]:
    """What the CLI needs to know of the model."""
    found = {"GOOGLE_GEMINI_BASE_URL": model_url}
    return {**found, "GEMINI_API_KEY": "dummy"} if key else found
