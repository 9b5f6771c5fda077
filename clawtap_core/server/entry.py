"""The process entry: patches gevent before anything that it must reach is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clawtap_core.config import Settings


def run(settings: Settings) -> int:
    """Serve until SIGINT or SIGTERM; the exit code.

    Raises UsageError for settings that cannot work: port in use, data folder not writable.
    """
    from gevent import monkey

    # With its queue patched, watchdog's emitter thread dies on the first event.
    monkey.patch_all(queue=False)

    from clawtap_core.server.serve import serve

    return serve(settings)
