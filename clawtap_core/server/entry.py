"""The process entry, which lets gevent patch before other imports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
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
    with metadata_read_once():
        monkey.patch_all(queue=False)


@contextmanager
def metadata_read_once() -> Iterator[None]:
    """Read the installed packages' entry points once, for as long as this lasts.

    gevent reads those of all packages with each of the 23 modules that it patches.
    """
    read, every = metadata.entry_points, metadata.entry_points()
    metadata.entry_points = every.select
    try:
        yield
    finally:
        metadata.entry_points = read
