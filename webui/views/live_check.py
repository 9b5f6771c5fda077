"""The live check of a CLI, started from its sessions and from the settings."""

from __future__ import annotations

from flask import Blueprint, render_template
from markupsafe import Markup
from werkzeug.wrappers import Response

from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.server.context import transport
from webui.site import site
from webui.viewmodels.adapter_choices import adapter_choices
from webui.views import errors
from webui.views.replies import reply

blueprint = Blueprint("webui_live_check", __name__)
errors.install(blueprint)


@blueprint.get("/sessions/<session_id>/check")
def session_check(session_id: str) -> str:
    """Render what the check of a session's CLI has found so far."""
    return site().renderer.over(transport().session(session_id), ask=True)


@blueprint.post("/sessions/<session_id>/check")
def check_for_session(session_id: str) -> Response:
    """Check a session's CLI on its machine."""
    session = transport().session(session_id)
    site().lookup.transport_of(session).check_cli(session.adapter)
    return reply(f"/sessions/{session_id}", site().renderer.over(session, ask=True))


@blueprint.get("/settings/clis/<adapter>")
def adapter_check(adapter: str) -> str:
    """Render a CLI's row of the settings."""
    return _row(adapter)


@blueprint.post("/settings/clis/<adapter>/check")
def check_adapter(adapter: str) -> Response:
    """Check a CLI of this machine."""
    transport().check_cli(adapter)
    return reply("/settings", _row(adapter))


def _row(adapter: str) -> Markup:
    for choice in adapter_choices(transport()):
        if choice.id == adapter:
            html = render_template("webui/partials/cli.html", each=choice)
            return Markup(html)  # noqa: S704 -- autoescaped by Jinja
    raise BadRequest(f"no such adapter: {adapter!r}", code=ErrorCode.UNKNOWN_ADAPTER)
