"""What the ACP of GitHub Copilot CLI has of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from clawtap_core.protocol_io.acp.dialect import Dialect

_MODES = "https://agentclientprotocol.com/protocol/session-modes#"


class CopilotDialect(Dialect):
    """What differs from the protocol in 1.0.102."""

    modes: ClassVar[Mapping[str, str]] = {
        f"{_MODES}agent": "interactive",
        f"{_MODES}plan": "plan",
        f"{_MODES}autopilot": "autopilot",
    }
    tools_by_argument: ClassVar[Mapping[str, str]] = {
        "command": "bash",
        "file_text": "create",
        "old_str": "edit",
        "fileName": "edit",
    }
    switched_at_start = ("mode", "model")
