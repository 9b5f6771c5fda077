"""A HOME for GitHub Copilot CLI without dialogs, for the scripted model only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clilab.chat_model import MODEL
from clilab.environment import MCP_SERVER, environment


def write_home(home: Path, trusted: Path, **settings: Any) -> None:
    """Write the CLI's settings; it starts in the `trusted` folder without asking."""
    folder = home / ".copilot"
    folder.mkdir(parents=True, exist_ok=True)
    values = {"trustedFolders": [str(trusted)], "banner": "never", **settings}
    server = {"type": "local", "command": "python3", "args": [str(MCP_SERVER)], "tools": ["*"]}
    for name, content in (
        ("config.json", values),
        ("settings.json", values),
        ("mcp-config.json", {"mcpServers": {"lab": server}}),
    ):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def copilot_environment(home: Path, commands: Path, model_url: str) -> dict[str, str]:
    """The CLI's whole environment: no account, no update, nothing but the scripted model."""
    own = {
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_OFFLINE": "true",
        "COPILOT_MODEL": MODEL,
        "COPILOT_PROVIDER_BASE_URL": f"{model_url}/v1",
        "COPILOT_PROVIDER_API_KEY": "dummy",
    }
    return environment(home, commands, own)
