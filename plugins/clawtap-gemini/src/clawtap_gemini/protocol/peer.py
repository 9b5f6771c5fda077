"""Gemini CLI over ACP."""

from __future__ import annotations

from clawtap_core import LaunchRequest, Peer, hookimpl
from clawtap_core.protocol_io.acp.peer import AcpPeer
from clawtap_gemini.protocol.dialect import GeminiDialect


@hookimpl
def open_protocol(request: LaunchRequest) -> Peer | None:
    """Return the peer of `gemini --acp`."""
    return GeminiPeer(request) if request.channel == "protocol" else None


class GeminiPeer(AcpPeer):
    """One session with `gemini --acp`; 0.61 finds no session that another process wrote."""

    def __init__(self, request: LaunchRequest) -> None:
        super().__init__(request, GeminiDialect())
