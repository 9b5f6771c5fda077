"""A HOME for Kimi Code in which it starts without a dialog and knows the scripted model only."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from clawtap_core.testing.scripted.chat_model import MODEL

_CONFIG = """\
default_model = "fake"
telemetry = false

[providers.fake]
type = "openai"
base_url = "{url}/v1"
api_key = "dummy"

[models.fake]
provider = "fake"
model = "{model}"
max_context_size = 128000
"""


def write_home(home: Path, model_url: str, *, mcp_server: Path | None = None) -> None:
    """Write the settings into a HOME; `mcp_server`, a script, is added as `lab`."""
    folder = home / ".kimi-code"
    folder.mkdir(parents=True, exist_ok=True)
    config = _CONFIG.format(url=model_url, model=MODEL)
    (folder / "config.toml").write_text(config, encoding="utf-8")
    server = {"command": sys.executable, "args": [str(mcp_server)]}
    servers = json.dumps({"mcpServers": {"lab": server} if mcp_server else {}})
    (folder / "mcp.json").write_text(servers, encoding="utf-8")


def environment() -> dict[str, str]:
    """What keeps the CLI from the network."""
    return {"KIMI_CODE_NO_AUTO_UPDATE": "1"}


def trust(home: Path, folder: Path) -> None:
    """Trust a folder as the CLI does, by a file that is named after the folder and its hash."""
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    trusted = home / ".kimi-code" / "workspace-trust"
    trusted.mkdir(parents=True, exist_ok=True)
    record = json.dumps({"root": str(folder), "trustedAt": 0})
    (trusted / f"wd_{folder.name}_{digest}").write_text(record, encoding="utf-8")
