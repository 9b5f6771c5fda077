"""The browser app as a plugin of ClawTap: pages, partials for live events, static files."""

from __future__ import annotations

from flask import Flask

from clawtap_core.hookspecs import hookimpl


@hookimpl
def register_routes(app: Flask) -> None:
    """Add the pages, and say how events are rendered."""
    from webui.site import register

    register(app)
