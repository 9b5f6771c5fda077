"""One runtime, reached in both ways."""

from both_transports import desk, http, tap

__all__ = ["desk", "http", "tap"]
