"""A HOME for Qwen Code in which it starts without a dialog and knows the scripted model only."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawtap_core.testing.scripted.chat_model import MODEL


def settings(
    *,
    auth: bool = True,
    ask_trust: bool = False,
    mode: str = "default",
    mcp_server: Path | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The CLI's settings; `mcp_server`, a script, is added as `lab`."""
    security: dict[str, Any] = {"folderTrust": {"enabled": ask_trust}}
    if auth:
        security["auth"] = {"selectedType": "openai"}
    server = {"command": sys.executable, "args": [str(mcp_server)]}
    memory = ("enableManagedAutoMemory", "enableManagedAutoDream", "enableAutoSkill")
    return {
        "security": security,
        "general": {"enableAutoUpdate": False, "showSessionRecap": False},
        "ui": {"enableFollowupSuggestions": False, "enableWelcomeBack": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "memory": dict.fromkeys(memory, False),
        "tools": {"approvalMode": mode, "useRipgrep": False},
        "mcpServers": {"lab": server} if mcp_server else {},
        **more,
    }


def write_home(home: Path, values: Mapping[str, Any]) -> None:
    """Write the settings into a HOME."""
    folder = home / ".qwen"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values, indent=1), encoding="utf-8")


def environment(model_url: str) -> dict[str, str]:
    """What the CLI needs to know of the model."""
    return {
        "OPENAI_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{model_url}/v1",
        "OPENAI_MODEL": MODEL,
    }
