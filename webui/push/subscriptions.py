"""The browsers that asked to be told, kept in the data folder."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from clawtap_core.server.private_files import private_folder, write_private

log = logging.getLogger(__name__)
_MOST = 100


@dataclass(frozen=True, slots=True)
class Subscription:
    """One browser: where its push service takes messages, and of what it wants to hear."""

    endpoint: str
    keys: Mapping[str, str]
    device: str
    prompts: bool = True
    turns: bool = True


class Subscriptions:
    """Every subscription by its endpoint, kept in `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known = _read(path)

    def all(self) -> list[Subscription]:
        """Every one, oldest first."""
        return list(self._known.values())

    def keep(self, subscription: Subscription) -> None:
        """Add or change a subscription; the oldest makes room above the limit."""
        with self._lock:
            self._known[subscription.endpoint] = replace(subscription, keys=dict(subscription.keys))
            while len(self._known) > _MOST:
                del self._known[next(iter(self._known))]
            self._write()

    def drop(self, endpoint: str) -> None:
        """Forget one."""
        with self._lock:
            if self._known.pop(endpoint, None):
                self._write()

    def _write(self) -> None:
        private_folder(self._path.parent)
        kept = [asdict(one) for one in self._known.values()]
        write_private(self._path, json.dumps({"subscriptions": kept}, indent=1) + "\n")


def _read(path: Path) -> dict[str, Subscription]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))["subscriptions"]
        subscriptions = [Subscription(**each) for each in kept]
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        # Browsers subscribe again by themselves; a damaged list must not stop the page.
        log.warning("push subscriptions could not be read: %s", error)
        return {}
    return {one.endpoint: one for one in subscriptions}
