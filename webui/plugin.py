"""The browser app as a plugin of ClawTap: pages, partials for live events, static files, push.

This module alone knows every part; nothing in the app imports it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clawtap_core.hookspecs import hookimpl

if TYPE_CHECKING:
    from flask import Flask

    from clawtap_core.model import Notice, NoticeAnswers
    from webui.push.service import Push

# The push of this process's app; empty until its pages are registered.
_pushes: list[Push] = []


@hookimpl
def register_routes(app: Flask) -> None:
    """Add the pages, and give the event stream the renderer of events."""
    # Imported late: commands that serve no page need none of it.
    from clawtap_core.model import Actor
    from clawtap_core.server.context import server_of
    from webui import site
    from webui.assets import compression, digest
    from webui.push.service import Push
    from webui.rendering.filters import FILTERS
    from webui.rendering.lookup import Lookup
    from webui.rendering.renderer import Renderer
    from webui.submissions import Submissions
    from webui.views import errors

    build = digest.digest()
    app.jinja_env.filters.update(FILTERS)
    app.jinja_env.globals["may"] = site.may
    app.jinja_env.globals["asset"] = lambda path: f"/static/{build}/{path}"
    server = server_of(app)
    # Events are rendered once for all who listen: the page itself looks things up.
    lookup = Lookup(partial(server.transport_for, Actor("page", "local")))
    renderer = Renderer(app.jinja_env, lookup, build)
    push = Push(Path(server.settings.data_dir), server.devices.alive)
    site.install(app, site.Site(build, lookup, renderer, push, Submissions()))
    app.extensions["clawtap_render"] = renderer.event
    _register_blueprints(app)
    errors.install_missing(app)
    compression.install(app)
    _pushes[:] = [push]


@hookimpl
def send_notice(notice: Notice, answers: NoticeAnswers) -> None:
    """Notify browsers, also those in which no page is open."""
    for push in _pushes:
        push.send_to_all(notice, answers)


def _register_blueprints(app: Flask) -> None:
    from webui.views import (
        certificate,
        forms,
        history,
        journal,
        live_check,
        login,
        new_session,
        push,
        restore,
        rules,
        search,
        service_worker,
        sessions,
        settings,
        static,
    )

    pages = (
        *(sessions, search, forms, new_session, history, journal, settings, rules, restore),
        live_check,
        login,
        certificate,
    )
    for view in (*pages, static, service_worker, push):
        app.register_blueprint(view.blueprint)
