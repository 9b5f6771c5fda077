"""The app's parts put together: one Site an app."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flask import Flask, current_app, request

from clawtap_core.model import Actor
from clawtap_core.server.context import device, server, server_of
from clawtap_core.transport import Transport
from webui.assets import compression, digest
from webui.markup.sanitizer import visible
from webui.push.service import Push
from webui.rendering.lookup import Lookup
from webui.rendering.renderer import Renderer
from webui.viewmodels.outcome import chip, sentence
from webui.viewmodels.relative_time import ago
from webui.viewmodels.session_row import short

_KEY = "clawtap_webui"
_PAGE = Actor("page", "local")
THEME_COOKIE = "clawtap_theme"
FILTERS = {"ago": ago, "visible": visible, "short": short, "sentence": sentence, "chip": chip}


@dataclass(frozen=True, slots=True)
class Site:
    """What pages share. `build` is the digest of the static files."""

    build: str
    lookup: Lookup
    renderer: Renderer
    push: Push


def site() -> Site:
    """The current app's site."""
    found: Site = current_app.extensions[_KEY]
    return found


def register(app: Flask) -> Push:
    """Add the pages to an app of ClawTap's server; what tells browsers that are not open."""
    from webui.push import routes
    from webui.views import (
        forms,
        history,
        journal,
        login,
        new_session,
        service_worker,
        sessions,
        settings,
        static,
    )

    environment = app.jinja_env
    environment.filters.update(FILTERS)
    build = digest.digest()
    lookup = Lookup(_unasked)
    renderer = Renderer(environment, lookup, build)
    mine = server_of(app)
    push = Push(Path(mine.settings.data_dir), mine.devices.alive)
    app.extensions[_KEY] = Site(build, lookup, renderer, push)
    app.extensions["clawtap_render"] = renderer.event
    for module in (sessions, forms, new_session, history, journal, settings, login):
        app.register_blueprint(module.blueprint)
    app.register_blueprint(static.blueprint)
    app.register_blueprint(service_worker.blueprint)
    app.register_blueprint(routes.blueprint)
    compression.install(app)
    environment.globals["asset"] = lambda path: f"/static/{build}/{path}"
    return push


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
