"""Qwen Code over ACP."""

from __future__ import annotations

from clawtap_core import LaunchRequest, Peer, hookimpl
from clawtap_core.protocol_io.acp.peer import AcpPeer
from clawtap_qwen.protocol.dialect import QwenDialect


@hookimpl
def open_protocol(request: LaunchRequest) -> Peer | None:
    """Return the peer of `qwen --acp`."""
    return AcpPeer(request, QwenDialect()) if request.channel == "protocol" else None
