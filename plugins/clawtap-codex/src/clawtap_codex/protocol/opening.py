"""The hook that gives a peer."""

from __future__ import annotations

from clawtap_codex.protocol.peer import CodexPeer
from clawtap_core import LaunchRequest, Peer, hookimpl


@hookimpl
def open_protocol(request: LaunchRequest) -> Peer | None:
    """The peer of `codex app-server`."""
    return CodexPeer(request) if request.channel == "protocol" else None
