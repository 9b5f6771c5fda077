"""Servers of a fleet, for a browser."""

import pytest
from private_redis import redis_server
from served_fleet import serve

from clawtap_core.fleet.key_file import FleetKey

__all__ = ["redis_server", "serve"]


@pytest.fixture
def fleet_key(redis_server):
    return FleetKey.new(redis_server.url)
