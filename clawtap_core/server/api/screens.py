"""The raw screen of a session, and its key pad."""

from __future__ import annotations

from clawtap_core.model import Role
from clawtap_core.schemas import KeyPad, KeysBodySchema
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires
from clawtap_core.server.streamed_screen import ShownScreen, ShownScreenSchema

blueprint = Blueprint("screens", __name__, "Raw screens")


@blueprint.route("GET", "/sessions/<session_id>/screen", response=ShownScreenSchema)
@requires(Role.WATCH)
def screen(session_id: str) -> ShownScreen:
    """Return the screen as text and sanitised HTML, with its revision."""
    return ShownScreen(session_id, transport().screen(session_id))


@blueprint.route(
    "POST", "/sessions/<session_id>/keys", body=KeysBodySchema, response=ShownScreenSchema
)
def keys(pad: KeyPad, session_id: str) -> ShownScreen:
    """Press keys or type text; 409, with nothing typed, if the screen changed since `screenRev`."""
    runtime = transport()
    return ShownScreen(
        session_id, runtime.keys(session_id, pad.screen_rev, keys=pad.keys, text=pad.text)
    )
