"""The login page. Its forms go to the API's own login."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from clawtap_core.errors import ErrorCode
from clawtap_core.server.auth import local_next, public
from clawtap_core.server.context import device
from webui.site import page_values
from webui.views import errors

blueprint = Blueprint("webui_login", __name__)
errors.install(blueprint)
_PROBLEMS: dict[str, str] = {
    ErrorCode.WRONG_CODE: "This pairing code is wrong, used, or too old. Make a new one.",
    ErrorCode.UNKNOWN_TOKEN: "This token is unknown or was revoked.",
    ErrorCode.TOO_MANY_LOGINS: "Too many failed logins. Wait a minute, then try again.",
}
_UNKNOWN_PROBLEM = "That did not work. Check what you typed."


@blueprint.get("/login")
@public
def login() -> str | Response:
    """Ask for a pairing code or a token; redirect a device that is logged in."""
    target = local_next(request.args.get("next"))
    if device() is not None:
        return redirect(target, 303)
    error = request.args.get("error")
    problem = _PROBLEMS.get(error, _UNKNOWN_PROBLEM) if error else ""
    return render_template("webui/login.html", next=target, problem=problem, **page_values())
