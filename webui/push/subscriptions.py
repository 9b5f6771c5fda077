"""The browsers that subscribed, stored in the data folder."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from clawtap_core.errors import UsageError
from clawtap_core.limited_dict import LimitedDict
from clawtap_core.server.private_files import private_folder, read_json, write_private

log = logging.getLogger(__name__)
_MOST = 100


@dataclass(frozen=True, slots=True)
class Subscription:
    """One browser: the address of its push service, and which notices it wants."""

    endpoint: str
    keys: Mapping[str, str]
    device: str
    prompts: bool = True
    turns: bool = True


class Subscriptions:
    """The subscriptions, stored in `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._by_endpoint: LimitedDict[str, Subscription] = LimitedDict(_MOST)
        # Without a list that can be read, browsers subscribe again by themselves.
        self._by_endpoint.update(read_json(path, _parse, "push subscriptions") or {})

    def all(self) -> list[Subscription]:
        """Return every subscription, oldest first."""
        return list(self._by_endpoint.values())

    def save(self, subscription: Subscription) -> None:
        """Add or change a subscription; above the limit the oldest is dropped."""
        with self._lock:
            copied = replace(subscription, keys=dict(subscription.keys))
            self._by_endpoint[subscription.endpoint] = copied
            self._write()

    def drop(self, endpoint: str) -> None:
        """Remove a subscription; one that the file still has is removed again later."""
        with self._lock:
            if self._by_endpoint.pop(endpoint, None):
                try:
                    self._write()
                except UsageError as error:
                    log.warning("a push subscription was not removed: %s", error.message)

    def _write(self) -> None:
        private_folder(self._path.parent)
        rows = [asdict(subscription) for subscription in self._by_endpoint.values()]
        write_private(self._path, json.dumps({"subscriptions": rows}, indent=1) + "\n")


def _parse(stored: Any) -> dict[str, Subscription]:
    subscriptions = [Subscription(**row) for row in stored["subscriptions"]]
    return {subscription.endpoint: subscription for subscription in subscriptions}
