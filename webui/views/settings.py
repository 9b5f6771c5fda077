"""Settings: theme, devices and pairing, the health of adapters and plugins."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, redirect, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from clawtap_core import __version__
from clawtap_core.errors import Unavailable
from clawtap_core.model import Device, Invitation, Role
from clawtap_core.model.moments import wire_time
from clawtap_core.schemas import Invite, InviteBodySchema, read_body
from clawtap_core.schemas.request_bodies import LONGEST_INVITATION
from clawtap_core.server.api.devices import (
    cancel_invitation,
    issue_code,
    reachable_address,
    revoke_device,
)
from clawtap_core.server.api.notices import NoticeSettingsBodySchema
from clawtap_core.server.context import device, server, transport
from clawtap_core.server.devices import OWNER
from clawtap_core.server.notices.preferences import NoticeSettings
from clawtap_core.server.notices.service import TARGET
from clawtap_core.server.pairing import SECONDS
from clawtap_core.server.roles import requires
from webui.site import THEME_COOKIE, page_values
from webui.viewmodels.adapter_choices import adapter_choices
from webui.viewmodels.machine_choices import machine_choices
from webui.viewmodels.outcome import sentence
from webui.viewmodels.relative_time import ago
from webui.views import errors
from webui.views.replies import once, reply

blueprint = Blueprint("webui_settings", __name__)
errors.install(blueprint)
_YEAR = 365 * 24 * 3600
_KINDS = {
    OWNER: "the owner's token",
    "token": "token",
    "browser": "browser",
    TARGET: "answers from notifications",
}
_ROLES = {
    Role.WATCH: "May watch only",
    Role.ANSWER: "May answer and send messages",
    Role.OWNER: "Owner: may do everything",
}
_TERMS = {600: "ten minutes", 3600: "one hour", 86400: "one day", LONGEST_INVITATION: "one week"}
_GRACES = {0.0: "No delay", 30.0: "30 seconds", 60.0: "1 minute", 300.0: "5 minutes"}


@dataclass(frozen=True, slots=True)
class Pairing:
    """A new pairing code; `qr` is None if no phone can open the address.

    That of an invitation has the name of whom it invites.
    """

    code: str
    id: str
    link: str
    qr: Markup | None
    name: str
    role: str
    until: str


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """A device as a row of the list."""

    id: str
    name: str
    kind: str
    words: str
    current: bool
    revocable: bool


@dataclass(frozen=True, slots=True)
class InvitationRow:
    """An invitation that nobody has used, as a row of the list."""

    id: str
    name: str
    role: str
    expires_at: str


@blueprint.get("/settings")
@requires(Role.WATCH)
def settings() -> str:
    """Show theme, devices, and the health of adapters and plugins."""
    return _page()


@blueprint.post("/settings/pair")
def pair() -> str:
    """Show the settings with a new pairing code, which is shown this once."""
    fields = ("name", "role", "seconds")
    filled = {name: request.form[name] for name in fields if request.form.get(name)}
    invite: Invite = read_body(InviteBodySchema, filled)
    issued = issue_code(invite)
    code = issued.code
    url = reachable_address(request.host_url).url
    link = f"{url or request.host_url.rstrip('/')}/login#pair={code}"
    seconds = int(invite.seconds or SECONDS)
    until = f"within {_TERMS.get(seconds, f'{seconds} seconds')}"
    image = _qr(link) if url else None
    role = _ROLES[invite.role]
    return _page(Pairing(code, issued.id, link, image, invite.name, role, until))


@blueprint.get("/settings/arrival")
def arrival() -> str:
    """Render the latest device that reached this machine, and whether a code was used."""
    code, invited = request.args.get("code"), "invited" in request.args
    used = server().pairing.use_of(code) if code else None
    lists: dict[str, Any] = {}
    # A page that shows a code asks every two seconds; the lists change when the code is used.
    if used and not used.valid:
        lists["devices"] = [_device_row(each) for each in server().devices.all()]
        lists["invitations"] = _invitations()
    return render_template(
        "webui/partials/arrival.html",
        arrival=None if invited else server().arrivals.latest(),
        used=used,
        invited=invited,
        **lists,
    )


@blueprint.post("/settings/devices/<device_id>/revoke")
def revoke(device_id: str) -> Response:
    """Revoke a device."""
    once(lambda: revoke_device(device_id))
    return reply("/settings")


@blueprint.post("/settings/invitations/<invitation_id>/revoke")
def revoke_invitation(invitation_id: str) -> Response:
    """Revoke an invitation."""
    once(lambda: cancel_invitation(invitation_id))
    return reply("/settings#people")


@blueprint.post("/settings/theme")
@requires(Role.WATCH)
def theme() -> Response:
    """Set the theme of this browser: light, dark, or the system's."""
    chosen = request.form.get("theme", "")
    response = redirect("/settings", 303)
    if chosen in ("light", "dark"):
        response.set_cookie(
            THEME_COOKIE, chosen, max_age=_YEAR, httponly=True, samesite="Strict", path="/"
        )
    else:
        response.delete_cookie(THEME_COOKIE, path="/")
    return response


@blueprint.post("/settings/notifications")
def notifications() -> Response:
    """Change when notifications are sent, and whether they have buttons."""
    start, end = request.form.get("from", ""), request.form.get("to", "")
    body = {
        "grace": request.form.get("grace", "0"),
        "quietHours": f"{start}-{end}" if start or end else "",
        "buttons": "buttons" in request.form,
    }
    server().notices.preferences.change(NoticeSettings(**read_body(NoticeSettingsBodySchema, body)))
    return reply("/settings")


def _page(pairing: Pairing | None = None) -> str:
    runtime, preferences = transport(), server().notices.preferences
    now = preferences.settings
    start, _, end = now.quiet_hours.replace(" ", "").partition("-")
    phone = reachable_address(request.host_url)
    lan = server().phones.lan
    try:
        machines, problem = machine_choices(runtime.machines(measure=True)), ""
    except Unavailable as error:
        machines, problem = [], sentence(error.message)
    return render_template(
        "webui/settings.html",
        notices=now,
        graces=sorted({now.grace: f"{now.grace:g} seconds", **_GRACES}.items()),
        quiet=(start, end),
        muted=[each for each in runtime.snapshot().sessions if each.id in preferences.muted],
        devices=[_device_row(each) for each in server().devices.all()],
        invitations=_invitations(),
        pairing=pairing,
        phone=phone,
        device_name=reader.name if (reader := device()) else "",
        roles=[(role.value, words) for role, words in _ROLES.items()],
        terms=_TERMS.items(),
        arrival=server().arrivals.latest(),
        certificate_qr=_qr(phone.certificate_url) if phone.certificate_url else None,
        fingerprint=lan.fingerprint if lan else "",
        machines=machines,
        machines_problem=problem,
        on_hub=server().on_hub,
        adapters=adapter_choices(runtime),
        plugins=runtime.plugins(),
        version=__version__,
        **page_values(),
    )


def _qr(link: str) -> Markup:
    import segno

    image = segno.make(link, error="m").svg_inline(border=2, omitsize=True)
    return Markup(image)  # noqa: S704 -- segno draws it from our own link


def _invitations() -> list[InvitationRow]:
    with suppress(Unavailable):  # a hub has them in Redis; its machines show what is wrong there
        return [_invitation_row(each) for each in server().pairing.invitations()]
    return []


def _invitation_row(shown: Invitation) -> InvitationRow:
    return InvitationRow(
        shown.id, shown.name or "A device", _ROLES[shown.role], wire_time(shown.expires_at)
    )


def _device_row(shown: Device) -> DeviceRow:
    current = device()
    role = "" if shown.role is Role.OWNER else f", {_ROLES[shown.role].lower()}"
    used = f"used {ago(shown.last_used.isoformat())} ago" if shown.last_used else "not used yet"
    return DeviceRow(
        id=shown.id,
        name=shown.name,
        kind=shown.kind,
        words=f"{_KINDS.get(shown.kind, shown.kind)}{role}, {used}".replace("now ago", "just now"),
        current=current is not None and current.id == shown.id,
        revocable=shown.kind != OWNER,
    )
