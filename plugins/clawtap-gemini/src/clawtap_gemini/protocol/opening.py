"""The hook that gives a peer."""

from __future__ import annotations

from clawtap_core import LaunchRequest, Peer, hookimpl
from clawtap_gemini.protocol.peer import GeminiPeer


@hookimpl
def open_protocol(request: LaunchRequest) -> Peer | None:
    """The peer of `gemini --acp`."""
    return GeminiPeer(request) if request.channel == "protocol" else None
