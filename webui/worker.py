"""The service worker, and the page that it shows while the server cannot be reached."""

from __future__ import annotations

import json

from flask import Blueprint, Response, render_template

from clawtap_core.server.auth import public
from webui.assets import SHEET, STATIC
from webui.site import site

blueprint = Blueprint("webui_worker", __name__)
_SHELL = ("js", "icons")


@blueprint.get("/sw.js")
@public
def worker() -> Response:
    """The worker, which knows the files of this build."""
    build = site().build
    files = sorted(
        f"/static/{build}/{path.relative_to(STATIC)}"
        for folder in _SHELL
        for path in (STATIC / folder).rglob("*")
        if path.is_file()
    )
    shell = ["/offline", f"/static/{build}/{SHEET}", *files]
    head = f"const BUILD = {json.dumps(build)};\nconst SHELL = {json.dumps(shell)};\n"
    text = head + (STATIC / "worker" / "sw.js").read_text(encoding="utf-8")
    response = Response(text, mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.get("/offline")
@public
def offline() -> str:
    """What an installed page shows while the server cannot be reached; it holds nothing private."""
    return render_template(
        "webui/offline.html", theme="", build=site().build, signed_in=False, live=False
    )
