"""Publish this machine's streamed text and screens while somebody elsewhere watches them.

Redis says which sessions are watched: those whose channel has a subscriber.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timezone

from clawtap_core.errors import ClawTapError
from clawtap_core.fleet.redis_client import FleetRedis
from clawtap_core.model import Event, ScreenEvent
from clawtap_core.schemas import dump
from clawtap_core.transport import Transport

log = logging.getLogger(__name__)
# Events that go only to those who watch a session.
LIVE_TEXTS = frozenset(("text_delta", "thinking", "tool_call_delta"))
# Between two texts or screens of a session; those in between are left out.
PACE = 0.1
MOST_WATCHED = 64


class LivePublisher:
    """Publishes texts and screens of the sessions of `local`, each channel in its own thread."""

    def __init__(
        self,
        redis: FleetRedis,
        machine: str,
        local: Transport,
        pause: Callable[[float], object],
    ) -> None:
        self._client, self._keys, self._seal = redis.client, redis.keys, redis.seal
        self._look = redis.timings.new_watchers
        self._machine, self._local, self._pause = machine, local, pause
        self._followed: set[str] = set()

    def run(self, keep_running: Callable[[], bool]) -> None:
        """Follow the watched sessions until stopped; errors of Redis are raised."""
        pattern = self._keys.live(self._machine, "*")
        while keep_running():
            watched = {each.decode("utf-8", "replace") for each in self._channels(pattern)}
            free = MOST_WATCHED - len(self._followed)
            for channel in sorted(watched - self._followed)[:free]:
                self._followed.add(channel)
                follow = threading.Thread(
                    target=self._follow,
                    args=(channel, keep_running),
                    name="fleet-live",
                    daemon=True,
                )
                follow.start()
            self._pause(self._look)

    def _follow(self, channel: str, keep_running: Callable[[], bool]) -> None:
        from redis.exceptions import RedisError

        try:
            self._publish_from(channel, keep_running)
        except (RedisError, OSError) as error:
            log.info("publishing what a session shows: %s", error)
        except ClawTapError:
            self._pause(self._look)  # there is no such session any more
        finally:
            self._followed.discard(channel)

    def _publish_from(self, channel: str, keep_running: Callable[[], bool]) -> None:
        """Publish until nobody watches; of whole texts and screens only the latest is kept."""
        _, session_id, screens = self._keys.watched(channel)
        after = self._local.snapshot(session_id).cursor
        events = self._local.events(after, session_id=session_id, screens=screens, idle=PACE)
        latest: Event | None = None
        begins = True
        due = looked = time.monotonic()
        with closing(events):  # type: ignore[type-var]
            for event in events:
                if begins and screens:
                    # It may have changed since the watcher read it.
                    latest = self._screen(session_id)
                begins = False
                if event and screens:
                    latest = event if isinstance(event, ScreenEvent) else latest
                elif event and event.type in LIVE_TEXTS and "text" not in event.data:
                    self._publish(channel, event)
                elif event:
                    # Streamed text is obsolete once its message has come.
                    latest = event if event.type in LIVE_TEXTS else None
                now = time.monotonic()
                if latest and now >= due:
                    self._publish(channel, latest)
                    latest, due = None, now + PACE
                if now >= looked + self._look:
                    looked = now
                    if not keep_running() or not self._channels(channel):
                        return

    def _screen(self, session_id: str) -> ScreenEvent:
        screen = self._local.screen(session_id)
        now = datetime.now(timezone.utc)
        return ScreenEvent("screen", now, session_id, {}, screen=screen)

    def _channels(self, pattern: str) -> list[bytes]:
        channels: list[bytes] = self._client.pubsub_channels(pattern)
        return channels

    def _publish(self, channel: str, event: Event) -> None:
        if isinstance(event, ScreenEvent):
            data = {"screen": dump(event.screen)}
        else:
            # Texts in between were left out, so what was added since the last one is unknown.
            whole = "text" in event.data
            data = {name: each for name, each in event.data.items() if name != "delta" or not whole}
        entry = {"type": event.type, "at": event.at.isoformat(), "data": data}
        self._client.publish(channel, self._seal.close(channel, entry))
