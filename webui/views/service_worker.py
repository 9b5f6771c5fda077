"""The service worker, and the page that it shows while the server cannot be reached."""

from __future__ import annotations

import json

from flask import Blueprint, Response, render_template

from clawtap_core.server.auth import public
from webui.assets.digest import STATIC
from webui.assets.script import SCRIPT
from webui.assets.style import SHEET
from webui.site import site

blueprint = Blueprint("webui_service_worker", __name__)


@blueprint.get("/sw.js")
@public
def worker() -> Response:
    """Serve the worker, which knows the files of this build."""
    build = site().build
    icons = sorted(str(path.relative_to(STATIC)) for path in (STATIC / "icons").rglob("*.*"))
    shell = ["/offline", *(f"/static/{build}/{name}" for name in (SHEET, SCRIPT, *icons))]
    head = f"const BUILD = {json.dumps(build)};\nconst SHELL = {json.dumps(shell)};\n"
    text = head + (STATIC / "worker" / "sw.js").read_text(encoding="utf-8")
    response = Response(text, mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.get("/offline")
@public
def offline() -> str:
    """Show that the server cannot be reached; the page holds nothing private."""
    return render_template(
        "webui/offline.html", theme="", build=site().build, signed_in=False, live=False
    )
