"""Kimi Code over ACP."""

from __future__ import annotations

from clawtap_core import LaunchRequest, Peer, hookimpl
from clawtap_core.protocol_io.acp.peer import AcpPeer
from clawtap_kimi.protocol.dialect import KimiDialect


@hookimpl
def open_protocol(request: LaunchRequest) -> Peer | None:
    """Return the peer of `kimi acp`."""
    return AcpPeer(request, KimiDialect()) if request.channel == "protocol" else None
