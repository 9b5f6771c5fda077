"""The kit for authors of adapters: recordings, the contract, and pytest fixtures.

`AdapterContract` needs pytest, and hypothesis for one of its checks: `pip install clawtap[test]`.
The fixtures of `clawtap_core.testing.plugin` are there in every pytest run beside ClawTap; for
its sake nothing is imported here before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clawtap_core.testing.client import Client, Events, Happened, Reply
    from clawtap_core.testing.contract import AdapterContract
    from clawtap_core.testing.peers import PeerContract, RpcPeerContract
    from clawtap_core.testing.recording import Recording, Row, Truth
    from clawtap_core.testing.served import Served

__all__ = [
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
    "AdapterContract": "contract",
    "Client": "client",
    "Events": "client",
    "Happened": "client",
    "PeerContract": "peers",
    "Recording": "recording",
    "Reply": "client",
    "Row": "recording",
    "RpcPeerContract": "peers",
    "Served": "served",
    "Truth": "recording",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
