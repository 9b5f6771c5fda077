"""Gemini CLI's machine protocol: ACP (agent client protocol), spoken over stdio.

The package `agent-client-protocol` is not used: its connection is bound to asyncio streams and
to pydantic, and has no side that takes bytes and gives bytes.
"""

from clawtap_gemini.protocol.opening import open_protocol
from clawtap_gemini.protocol.peer import GeminiPeer

__all__ = ["GeminiPeer", "open_protocol"]
