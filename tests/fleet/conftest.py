"""Machines in this process, on a Redis of the test."""

from fleet_pages import hub, page_of
from private_redis import redis_server
from served_fleet import serve
from toy_fleet import fleet_key, machine, pair

__all__ = ["fleet_key", "hub", "machine", "page_of", "pair", "redis_server", "serve"]
