"""Parsing machine protocols without any I/O: JSON lines, JSON-RPC, MCP forms."""
