"""Notices: an answer by a notice's button, how they are sent, and muted sessions."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from clawtap_core.config.schema import check_quiet_hours
from clawtap_core.model import Prompt, Role
from clawtap_core.schemas import AnsweredSchema
from clawtap_core.schemas.base import BodySchema
from clawtap_core.schemas.fields import Flag
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.auth import public
from clawtap_core.server.context import device, server, transport
from clawtap_core.server.notices.preferences import NoticeSettings
from clawtap_core.server.roles import requires

blueprint = Blueprint("notices", __name__, "Notices to a user who is elsewhere")


class NoticeAnswerBodySchema(BodySchema):
    """The token of a button."""

    makes = dict
    token = fields.String(required=True, validate=validate.Length(20, 200))


class NoticeSettingsBodySchema(BodySchema):
    """How notices are sent; what is left out stays."""

    makes = dict
    grace = fields.Float(validate=validate.Range(0, 86400))
    quiet_hours = fields.String(validate=check_quiet_hours)
    buttons = Flag()


class NoticeSettingsSchema(Schema):
    """How notices are sent, and the muted sessions."""

    grace = fields.Float(required=True)
    quiet_hours = fields.String(required=True, data_key="quietHours")
    buttons = fields.Boolean(required=True)
    muted = fields.List(fields.String(), required=True)


class MuteBodySchema(BodySchema):
    """Whether a session is muted."""

    makes = dict
    muted = Flag(required=True)


class DeskSchema(Schema):
    """When somebody last typed in a watched pane, in seconds since 1970; 0 if never."""

    typed_at = fields.Float(required=True, data_key="typedAt")


@blueprint.route(
    "POST", "/notices/answer", body=NoticeAnswerBodySchema, response=AnsweredSchema, security=[]
)
@public
def answer(body: dict[str, str]) -> Prompt:
    """Give the answer of a notice's button; its token is valid once, for one prompt and device."""
    return server().notices.answer(body["token"], device())


@blueprint.route("GET", "/notices", response=NoticeSettingsSchema)
@requires(Role.WATCH)
def settings() -> dict[str, Any]:
    """Return how notices are sent."""
    return _settings()


@blueprint.route("PATCH", "/notices", body=NoticeSettingsBodySchema, response=NoticeSettingsSchema)
def change_settings(body: dict[str, Any]) -> dict[str, Any]:
    """Change how notices are sent."""
    preferences = server().notices.preferences
    now = preferences.settings
    preferences.change(
        NoticeSettings(
            body.get("grace", now.grace),
            body.get("quiet_hours", now.quiet_hours),
            body.get("buttons", now.buttons),
        )
    )
    return _settings()


@blueprint.route(
    "PUT", "/sessions/<session_id>/muted", body=MuteBodySchema, response=NoticeSettingsSchema
)
def mute(body: dict[str, bool], session_id: str) -> dict[str, Any]:
    """Mute or unmute a session."""
    transport().session(session_id)
    server().notices.preferences.mute(session_id, muted=body["muted"])
    return _settings()


@blueprint.route("GET", "/desk", response=DeskSchema)
@requires(Role.WATCH)
def desk() -> dict[str, float]:
    """Return when somebody last typed at the desk."""
    return {"typed_at": transport().desk_typed_at()}


def _settings() -> dict[str, Any]:
    preferences = server().notices.preferences
    now = preferences.settings
    return {
        "grace": now.grace,
        "quiet_hours": now.quiet_hours,
        "buttons": now.buttons,
        "muted": list(preferences.muted),
    }
