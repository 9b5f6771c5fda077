"""The process entry, which lets gevent patch before other imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clawtap_core.config import Settings


def run(settings: Settings) -> int:
    """Serve until SIGINT or SIGTERM and return the exit code.

    Raises UsageError if a setting cannot work, such as a port in use.
    """
    _patch()
    from clawtap_core.server.serve import serve

    return serve(settings)


def run_hub(settings: Settings) -> int:
    """Serve a fleet as `run` does a machine, without CLIs and tmux."""
    _patch()
    from clawtap_core.server.serve import serve_hub

    return serve_hub(settings)


def _patch() -> None:
    from gevent import monkey

    # With its queue patched, watchdog's emitter thread dies on the first event.
    monkey.patch_all(queue=False)
