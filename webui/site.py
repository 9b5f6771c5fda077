"""What the pages of one app share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

from flask import Flask, current_app, request

from clawtap_core.model import Role
from clawtap_core.server.context import device
from webui.push.service import Push
from webui.rendering.lookup import Lookup
from webui.rendering.renderer import Renderer
from webui.submissions import Submissions

_KEY = "clawtap_webui"
THEME_COOKIE = "clawtap_theme"


@dataclass(frozen=True, slots=True)
class Site:
    """The parts of an app. `build` is the digest of the static files."""

    build: str
    lookup: Lookup
    renderer: Renderer
    push: Push
    submissions: Submissions


def install(app: Flask, parts: Site) -> None:
    """Give an app its parts."""
    app.extensions[_KEY] = parts


def site() -> Site:
    """Return the parts of the current app."""
    parts: Site = current_app.extensions[_KEY]
    return parts


def may(role: str) -> bool:
    """Return whether the reader of what is rendered now has a role."""
    reader = device()
    return reader is not None and reader.role.includes(Role(role))


def page_values() -> dict[str, object]:
    """Return what the template of every page needs."""
    current = device()
    return {
        "device_id": current.id if current else "",
        "theme": request.cookies.get(THEME_COOKIE, ""),
        "build": site().build,
        "now": datetime.now(timezone.utc).isoformat(),
        "signed_in": current is not None,
        "role": current.role.value if current else "",
    }
