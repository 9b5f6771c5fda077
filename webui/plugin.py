"""The browser app as a plugin of ClawTap: pages, partials for live events, static files, push."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clawtap_core.hookspecs import hookimpl

if TYPE_CHECKING:
    from flask import Flask

    from clawtap_core.model import Event, Session
    from webui.push.service import Push

_pushes: list[Push] = []
"""The push of the app of this process; none before its pages are there."""


@hookimpl
def register_routes(app: Flask) -> None:
    """Add the pages, and say how events are rendered."""
    from webui.site import register

    _pushes[:] = [register(app)]


@hookimpl
def notify(event: Event, session: Session) -> None:
    """Tell browsers that are not open."""
    for push in _pushes:
        push.notify(event, session)
