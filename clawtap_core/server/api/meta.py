"""The server's health and the description of its API."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, jsonify

from clawtap_core import __version__
from clawtap_core.model import Role
from clawtap_core.schemas import HealthSchema
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.auth import public
from clawtap_core.server.roles import requires

DESCRIBE = "clawtap_openapi"
blueprint = Blueprint("server", __name__, "The server itself", prefix="")


@blueprint.route("GET", "/healthz", response=HealthSchema)
@public
def healthz() -> dict[str, Any]:
    """Report that the server is up; needs no token."""
    return {"ok": True, "version": __version__}


@blueprint.route("GET", "/api/openapi.json", response={"type": "object"})
@requires(Role.WATCH)
def openapi() -> Response:
    """Return this API's OpenAPI description."""
    return jsonify(current_app.extensions[DESCRIBE]())
