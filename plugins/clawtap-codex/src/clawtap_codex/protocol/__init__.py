"""Codex's machine protocol, `codex app-server`: over stdio, or as a second client of a daemon."""

from clawtap_codex.protocol.daemon import DaemonPeer, open_daemon
from clawtap_codex.protocol.peer import CodexPeer, open_protocol

__all__ = ["CodexPeer", "DaemonPeer", "open_daemon", "open_protocol"]
