"""Failures of pages, as pages; the API tells its own."""

from __future__ import annotations

import logging
from urllib.parse import quote

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError, Unauthorized
from webui.site import shared
from webui.viewmodels.outcome import sentence

log = logging.getLogger(__name__)
_HEADINGS = {
    404: "That is not here any more",
    409: "Something happened first",
    422: "That cannot be done",
    502: "Not confirmed",
    503: "Something is missing",
}


def install(blueprint: Blueprint) -> None:
    """Let this blueprint's views fail as pages."""
    blueprint.register_error_handler(Unauthorized, _log_in)
    blueprint.register_error_handler(ClawTapError, _explained)
    blueprint.register_error_handler(Exception, _unexpected)


def _log_in(_error: Unauthorized) -> Response:
    return redirect(f"/login?next={quote(request.path)}" if request.method == "GET" else "/login")


def _explained(error: ClawTapError) -> tuple[str, int]:
    heading = _HEADINGS.get(error.status, "That did not work")
    return _page(heading, sentence(error.message)), error.status


def _unexpected(error: Exception) -> tuple[str, int]:
    log.error("page failed: %s %s", request.method, request.path, exc_info=error)
    return _page("Something went wrong", "ClawTap's log says what. Nothing was typed twice."), 500


def _page(heading: str, words: str) -> str:
    back = request.path.rpartition("/")[0] if request.path.startswith("/sessions/") else "/"
    back = "/" if back in ("", "/sessions") else back
    return render_template(
        "webui/error.html", heading=heading, sentence=words, back=back, live=False, **shared()
    )
