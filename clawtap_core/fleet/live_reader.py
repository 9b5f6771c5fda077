"""Read the streamed text and screens of other machines' sessions while somebody here watches."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from clawtap_core.errors import ClawTapError
from clawtap_core.fleet.live_publisher import LIVE_TEXTS
from clawtap_core.fleet.mirror import Mirror
from clawtap_core.fleet.redis_client import FleetRedis
from clawtap_core.fleet.seal import SealBroken
from clawtap_core.model import Event, RemoteEvent, Screen, ScreenEvent
from clawtap_core.schemas import load

log = logging.getLogger(__name__)


class LiveReader:
    """Subscribes to the sessions that are watched here, and publishes their events here."""

    def __init__(
        self,
        redis: FleetRedis,
        mirror: Mirror,
        publish: Callable[[Event], None],
    ) -> None:
        self._client, self._keys, self._seal = redis.client, redis.keys, redis.seal
        self._look = redis.timings.new_watched
        self._mirror, self._publish = mirror, publish
        self._watchers: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._changed = threading.Event()

    @contextmanager
    def watching(self, machine: str, session_id: str, screens: bool) -> Iterator[None]:
        """Read a session's streamed text, and its screens if asked for."""
        channels = [self._keys.live(machine, session_id)]
        if screens:
            channels.append(self._keys.live(machine, session_id, screens=True))
        self._count(channels, 1)
        try:
            yield
        finally:
            self._count(channels, -1)

    def _count(self, channels: list[str], more: int) -> None:
        with self._lock:
            for channel in channels:
                self._watchers[channel] += more
            self._watchers = +self._watchers
        self._changed.set()

    def run(self, keep_running: Callable[[], bool]) -> None:
        """Read until stopped; errors of Redis are raised."""
        subscribed: set[str] = set()
        with self._client.pubsub(ignore_subscribe_messages=True) as pubsub:
            while keep_running():
                with self._lock:
                    watched = set(self._watchers)
                    self._changed.clear()
                if watched - subscribed:
                    pubsub.subscribe(*(watched - subscribed))
                if subscribed - watched:
                    pubsub.unsubscribe(*(subscribed - watched))
                subscribed = watched
                if not subscribed:
                    self._changed.wait(1.0)
                elif message := pubsub.get_message(timeout=self._look):
                    self._take(message)

    def _take(self, message: Mapping[str, Any]) -> None:
        channel = message["channel"].decode("utf-8", "replace")
        machine_id, session_id, _ = self._keys.watched(channel)
        try:
            entry = self._seal.open(channel, message["data"])
            kind, at = str(entry["type"]), datetime.fromisoformat(entry["at"])
            if kind == "screen":
                screen = load(Screen, entry["data"]["screen"])
                data = {"sessionId": session_id, "revision": screen.revision}
                event: Event = ScreenEvent("screen", at, session_id, data, screen=screen)
            elif kind in LIVE_TEXTS and not self._mirror.wrote_until(machine_id, session_id, at):
                data = {**entry["data"], "sessionId": session_id}
                event = RemoteEvent(kind, at, session_id, data, machine_id=machine_id, position="")
            else:
                return
        except (SealBroken, ClawTapError, KeyError, TypeError, ValueError, AttributeError):
            log.warning("what a session of machine %s shows could not be read", machine_id)
            return
        if channel in self._watchers:
            self._publish(event)
