"""Static files under /static/DIGEST/, the colours, the manifest."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, redirect, send_from_directory
from werkzeug.wrappers import Response as AnyResponse

from clawtap_core.model import Role
from clawtap_core.server.auth import public
from clawtap_core.server.guards import plain_http
from clawtap_core.server.roles import requires
from clawtap_core.server.screen_html import palette_css
from webui.assets.brands import stylesheet
from webui.assets.digest import STATIC
from webui.assets.script import SCRIPT, script
from webui.assets.style import OLDER_SHEET, SHEET, older_style_sheet, style_sheet
from webui.site import site

blueprint = Blueprint("webui_static", __name__)
# Reversed text has its own colour as background, which a filter cannot do.
_INVERSE = ".inverse{filter:none;background-color:currentcolor;-webkit-text-fill-color:#101013}\n"
_TEXTS = ("text/css", "text/javascript", "image/svg+xml")
_IMMUTABLE = "public, max-age=31536000, immutable"


@blueprint.get("/static/<digest>/<path:name>")
@public
@plain_http
def static(digest: str, name: str) -> Response:
    """Serve a static file; only under the current digest is it immutable."""
    if name == SHEET:
        response = Response(style_sheet(), mimetype="text/css")
    elif name == OLDER_SHEET:
        response = Response(older_style_sheet(), mimetype="text/css")
    elif name == SCRIPT:
        response = Response(script(), mimetype="text/javascript")
    else:
        response = send_from_directory(STATIC, name)
    if response.mimetype in _TEXTS:
        # A streamed file cannot be compressed.
        response.direct_passthrough = False
        response.set_data(response.get_data())
    current = digest == site().build
    response.headers["Cache-Control"] = _IMMUTABLE if current else "no-cache"
    return response


@blueprint.get("/colours.css")
@requires(Role.WATCH)
def colours() -> Response:
    """Serve the adapters' colours and the terminal's."""
    rules = stylesheet(site().lookup.adapters().values())
    text = f"{rules}.terminal {{\n{palette_css()}{_INVERSE}}}\n"
    response = Response(text, mimetype="text/css")
    response.headers["Cache-Control"] = "private, max-age=300"
    return response


@blueprint.get("/manifest.webmanifest")
@public
def manifest() -> Response:
    """Serve what a phone needs to put the page on its home screen."""
    folder = f"/static/{site().build}/icons"
    response = jsonify(
        id="/",
        name="ClawTap",
        short_name="ClawTap",
        start_url="/",
        display="standalone",
        background_color="#131316",
        theme_color="#131316",
        icons=[
            {"src": f"{folder}/favicon.svg", "sizes": "any", "type": "image/svg+xml"},
            {"src": f"{folder}/touch.png", "sizes": "512x512", "type": "image/png"},
        ],
    )
    response.mimetype = "application/manifest+json"
    return response


@blueprint.get("/favicon.ico")
@public
def favicon() -> AnyResponse:
    """Redirect browsers that look for the icon at its usual place."""
    return redirect(f"/static/{site().build}/icons/favicon.svg")
