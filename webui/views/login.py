"""The login page. Its forms go to the API's own login."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from clawtap_core.errors import ErrorCode
from clawtap_core.server.auth import local_next, public
from clawtap_core.server.context import device
from webui.site import shared
from webui.views import errors

blueprint = Blueprint("webui_entrance", __name__)
errors.install(blueprint)
_PROBLEMS: dict[str, str] = {
    ErrorCode.WRONG_CODE: (
        "This pairing code is wrong, was used already, or is too old. Ask for another."
    ),
    ErrorCode.UNKNOWN_TOKEN: "This token is not known here, or it was revoked.",
    ErrorCode.TOO_MANY_LOGINS: "Too many failed logins. Wait a minute, then try again.",
}
_UNCLEAR = "That did not work. Check what you typed."


@blueprint.get("/login")
@public
def login() -> str | Response:
    """Ask for a pairing code or a token; who is in already goes on."""
    wanted = local_next(request.args.get("next"))
    if device() is not None:
        return redirect(wanted, 303)
    error = request.args.get("error")
    problem = _PROBLEMS.get(error, _UNCLEAR) if error else ""
    return render_template("webui/login.html", next=wanted, problem=problem, **shared())
