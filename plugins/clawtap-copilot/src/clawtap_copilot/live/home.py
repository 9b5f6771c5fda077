"""A HOME for GitHub Copilot CLI without dialogs, for the scripted model only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clawtap_core.testing.scripted.chat_model import MODEL


def write_home(
    home: Path, trusted: Path, *, mcp_server: Path | None = None, **settings: Any
) -> None:
    """Write the CLI's settings; it starts in the `trusted` folder without asking.

    `mcp_server`, a script, is added as `lab`.
    """
    folder = home / ".copilot"
    folder.mkdir(parents=True, exist_ok=True)
    values = {"trustedFolders": [str(trusted)], "banner": "never", **settings}
    server = {"type": "local", "command": "python3", "args": [str(mcp_server)], "tools": ["*"]}
    for name, content in (
        ("config.json", values),
        ("settings.json", values),
        ("mcp-config.json", {"mcpServers": {"lab": server} if mcp_server else {}}),
    ):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def environment(model_url: str) -> dict[str, str]:
    """What the CLI needs to know of the model: no account, no update, nothing else."""
    return {
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_OFFLINE": "true",
        "COPILOT_MODEL": MODEL,
        "COPILOT_PROVIDER_BASE_URL": f"{model_url}/v1",
        "COPILOT_PROVIDER_API_KEY": "dummy",
    }
