"""The environment of a real CLI in a test, and the MCP servers that it can be given."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

MCP_SERVER = Path(__file__).with_name("mcp_server.py")
MCP_FORMS = Path(__file__).with_name("mcp_forms.py")


def environment(home: Path, commands: Path, own: Mapping[str, str]) -> dict[str, str]:
    """The CLI's whole environment: nothing of ours but the PATH and the locale."""
    path = (str(home / "bin"), str(commands), os.environ["PATH"])
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join(path),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        **own,
    }
