"""Replies to forms: a redirect for a browser, the changed partials for the page's script.

The script sends the same form to the same address; the header below is all that differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flask import Response, redirect, request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from webui.site import site

HEADER = "X-ClawTap-Script"
KEY_HEADER = "Idempotency-Key"
T = TypeVar("T")


def sent_by_script() -> bool:
    """Return whether the page's script sent this form, to swap the reply in."""
    return HEADER in request.headers


def reply(location: str, *partials: Markup) -> AnyResponse:
    """Redirect to a page; to a script, return the partials that changed, and name the page."""
    if sent_by_script():
        headers = {"Location": location}
        return Response("\n".join(partials), mimetype="text/html", headers=headers)
    return redirect(location, 303)


def once(act: Callable[[], T]) -> T:
    """Do what a form asks for, or, where its first reply was lost, return what came of it."""
    key = request.headers.get(KEY_HEADER, "")[:64]  # short, since it stays in memory
    return site().submissions.once(f"{request.path} {key}" if key else "", act)
