"""The kit for authors of adapters: recordings, the contract, and pytest fixtures.

`AdapterContract` needs pytest, and hypothesis for one of its checks: `pip install clawtap[kit]`.
The fixtures of `clawtap_core.testing.plugin` exist in every pytest run with ClawTap installed; so
nothing is imported here before it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clawtap_core.testing.api_client import Client, Events, Happened, Reply
    from clawtap_core.testing.contract import AdapterContract
    from clawtap_core.testing.peer_contract import AcpPeerContract, PeerContract, RpcPeerContract
    from clawtap_core.testing.recordings import Recording, Row, Truth
    from clawtap_core.testing.server_process import Served

__all__ = [
    "AcpPeerContract",
    "AdapterContract",
    "Client",
    "Events",
    "Happened",
    "PeerContract",
    "Recording",
    "Reply",
    "Row",
    "RpcPeerContract",
    "Served",
    "Truth",
]
_HOMES = {
    "AcpPeerContract": "peer_contract",
    "AdapterContract": "contract",
    "Client": "api_client",
    "Events": "api_client",
    "Happened": "api_client",
    "PeerContract": "peer_contract",
    "Recording": "recordings",
    "Reply": "api_client",
    "Row": "recordings",
    "RpcPeerContract": "peer_contract",
    "Served": "server_process",
    "Truth": "recordings",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
