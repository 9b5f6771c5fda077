"""Machines in this process, on a Redis of the test."""

from private_redis import redis_server
from served_fleet import serve
from toy_fleet import fleet_key, machine, pair

__all__ = ["fleet_key", "machine", "pair", "redis_server", "serve"]
