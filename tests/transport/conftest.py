"""One runtime, reached in every way."""

from both_transports import desk, fleet, http, tap
from private_redis import redis_server

__all__ = ["desk", "fleet", "http", "redis_server", "tap"]
