"""A fleet that has a new key by now, and what this process may have written there since."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from clawtap_core.fleet.redis_client import FleetRedis
from clawtap_core.fleet.rekey import remove_rekeyed

log = logging.getLogger(__name__)


class FormerFleet:
    """The old fleet, until it is removed; nothing at first."""

    def __init__(self) -> None:
        self._redis: FleetRedis | None = None
        self._machines: tuple[str, ...] = ()

    def note(self, redis: FleetRedis, machines: Iterable[str]) -> None:
        """Note a fleet that has a new key, and its machines as far as they are known."""
        self._redis, self._machines = redis, tuple(machines)

    def remove(self, used: FleetRedis) -> None:
        """Remove what Redis has of it; `used` is the Redis that this process uses now."""
        from redis.exceptions import RedisError

        redis, self._redis = self._redis, None
        if redis is None:
            return
        try:
            remove_rekeyed(redis.client, redis.key, self._machines)
        except (RedisError, OSError) as error:
            log.info("the former fleet stays in Redis: %s", error)
        if redis is not used:
            redis.client.close()

    def close(self) -> None:
        """Close its connections."""
        if self._redis:
            self._redis.client.close()
