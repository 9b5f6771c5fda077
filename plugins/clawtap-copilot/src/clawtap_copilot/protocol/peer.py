"""GitHub Copilot CLI over ACP."""

from __future__ import annotations

from clawtap_copilot.protocol.dialect import CopilotDialect
from clawtap_core import LaunchRequest, Peer, hookimpl
from clawtap_core.protocol_io.acp.peer import AcpPeer


@hookimpl
def open_protocol(request: LaunchRequest) -> Peer | None:
    """Return the peer of `copilot --acp`."""
    return AcpPeer(request, CopilotDialect()) if request.channel == "protocol" else None
