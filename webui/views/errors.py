"""Errors as pages; for forms that the page's script sent, as the API's errors."""

from __future__ import annotations

import logging
from urllib.parse import quote

from flask import Blueprint, Flask, jsonify, make_response, redirect, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError, Unauthorized
from clawtap_core.server.auth import wants_page
from clawtap_core.server.errors import body, http_error
from webui.site import page_values
from webui.viewmodels.outcome import sentence
from webui.views.replies import sent_by_script

log = logging.getLogger(__name__)
_HEADINGS = {
    403: "Not allowed",
    404: "Not found",
    409: "Something happened first",
    422: "Not possible here",
    502: "Not confirmed",
    503: "Something is missing",
}


def install(blueprint: Blueprint) -> None:
    """Show errors of this blueprint's views as pages."""
    blueprint.register_error_handler(ClawTapError, _clawtap_error)
    blueprint.register_error_handler(Exception, _unexpected)


def install_missing(app: Flask) -> None:
    """Show a page where a browser asks for an address that does not exist."""
    app.register_error_handler(404, _no_such_page)


def _no_such_page(error: HTTPException) -> Response:
    if not wants_page():
        return http_error(error)
    return make_response(_page(_HEADINGS[404], f"There is no page at {request.path}."), 404)


def _clawtap_error(error: ClawTapError) -> Response:
    if sent_by_script():
        return make_response(jsonify(body(error)), error.status)
    if isinstance(error, Unauthorized):
        back = f"?next={quote(request.path)}" if request.method == "GET" else ""
        return redirect(f"/login{back}")
    heading = _HEADINGS.get(error.status, "That did not work")
    return make_response(_page(heading, sentence(error.message)), error.status)


def _unexpected(error: Exception) -> Response:
    log.error("page failed: %s %s", request.method, request.path, exc_info=error)
    words = "ClawTap's log says what. Nothing was typed twice."
    return make_response(_page("Something went wrong", words), 500)


def _page(heading: str, words: str) -> str:
    back = request.path.rpartition("/")[0] if request.path.startswith("/sessions/") else "/"
    back = "/" if back in ("", "/sessions") else back
    return render_template(
        "webui/error.html", heading=heading, sentence=words, back=back, live=False, **page_values()
    )
