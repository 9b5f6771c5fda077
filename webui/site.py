"""The app's parts put together: one Site an app."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, current_app, request

from clawtap_core.model import Actor
from clawtap_core.server.context import device, server
from clawtap_core.transport import Transport
from webui import assets
from webui.lookup import Lookup
from webui.markup import visible
from webui.render import Renderer
from webui.rows import short
from webui.times import ago

_KEY = "clawtap_webui"
_PAGE = Actor("page", "local")
THEME_COOKIE = "clawtap_theme"


@dataclass(frozen=True, slots=True)
class Site:
    """What pages share. `build` is the digest of the static files."""

    build: str
    lookup: Lookup
    renderer: Renderer


def site() -> Site:
    """The current app's site."""
    found: Site = current_app.extensions[_KEY]
    return found


def register(app: Flask) -> None:
    """Add the pages to an app of ClawTap's server."""
    from webui import actions, beginning, entrance, pages, settings, static_files

    environment = app.jinja_env
    environment.filters.update(ago=ago, visible=visible, short=short)
    build = assets.digest()
    lookup = Lookup(_unasked)
    renderer = Renderer(environment, lookup, build)
    app.extensions[_KEY] = Site(build, lookup, renderer)
    app.extensions["clawtap_render"] = renderer.event
    for module in (pages, actions, beginning, settings, entrance, static_files):
        app.register_blueprint(module.blueprint)
    environment.globals["asset"] = lambda path: f"/static/{build}/{path}"


def _unasked() -> Transport:
    """The agent side for what is looked up while events are rendered, for no one in particular."""
    return server().transport_for(_PAGE)


def shared() -> dict[str, object]:
    """What every page's template is given."""
    return {
        "theme": request.cookies.get(THEME_COOKIE, ""),
        "build": site().build,
        "signed_in": device() is not None,
    }
