"""Replies to forms: a redirect for a browser, the changed partials for the page's script.

The script sends the same form to the same address; the header below is all that differs.
"""

from __future__ import annotations

from flask import Response, redirect, request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

HEADER = "X-ClawTap-Script"


def sent_by_script() -> bool:
    """Return whether the page's script sent this form, to swap the reply in."""
    return HEADER in request.headers


def reply(location: str, *partials: Markup) -> AnyResponse:
    """Redirect to a page; to a script, return the partials that changed."""
    if sent_by_script():
        return Response("\n".join(partials), mimetype="text/html")
    return redirect(location, 303)
