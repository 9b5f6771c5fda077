"""The pages that begin a session and that set things up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import segno
from flask import Blueprint, make_response, redirect, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from clawtap_core import __version__
from clawtap_core.errors import ClawTapError
from clawtap_core.model import LaunchRequest, PaneInfo
from clawtap_core.schemas import Adoption, StartBodySchema, read_body
from clawtap_core.server.announce import public_url
from clawtap_core.server.context import device, server, transport
from clawtap_core.server.devices import OWNER, Device
from webui import errors
from webui.brands import css_class, mark
from webui.choices import offered
from webui.pages import usual_folder
from webui.rows import short
from webui.site import THEME_COOKIE, shared, site
from webui.times import ago

blueprint = Blueprint("webui_setup", __name__)
errors.install(blueprint)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_YEAR = 365 * 24 * 3600
_KINDS = {OWNER: "the owner's token", "token": "token", "browser": "browser"}


@dataclass(frozen=True, slots=True)
class Given:
    """What the form of a new session holds."""

    adapter: str = ""
    cwd: str = ""
    mode: str = ""
    model: str = ""
    message: str = ""


@blueprint.get("/new")
def new() -> str:
    """The form of a new session."""
    return _new_form(Given(request.args.get("adapter", ""), request.args.get("cwd", "")))


@blueprint.post("/new")
def start() -> Response:
    """Start a session; when that fails the form comes back as it was, with the reason."""
    given = _given()
    named = {
        "adapter": given.adapter,
        "cwd": given.cwd.strip(),
        "permissionMode": given.mode,
        "model": given.model,
        "message": given.message.strip().replace("\r\n", "\n"),
    }
    required = ("adapter", "cwd")
    body = {name: value for name, value in named.items() if value or name in required}
    try:
        wanted: LaunchRequest = read_body(StartBodySchema, body)
        session = transport().start(wanted)
    except ClawTapError as error:
        return make_response(_new_form(given, error.message), error.status)
    return redirect(f"/sessions/{session.id}", 303)


@blueprint.get("/adopt")
def panes() -> str:
    """The panes that could be watched."""
    agent = transport()
    found = sorted(agent.panes(), key=lambda pane: (pane.adapter is None, pane.pane))
    return render_template(
        "webui/adopt.html",
        panes=[_pane(pane) for pane in found],
        adapters=offered(agent),
        **shared(),
    )


@blueprint.post("/adopt")
def adopt() -> Response:
    """Watch a pane."""
    given = {"adopt": request.form.get("pane", ""), "adapter": request.form.get("adapter") or None}
    wanted: Adoption = read_body(StartBodySchema, given)
    session = transport().adopt(wanted.pane, wanted.adapter)
    return redirect(f"/sessions/{session.id}", 303)


@blueprint.get("/settings")
def settings() -> str:
    """Theme, devices, and the health of adapters and plugins."""
    return _settings()


@blueprint.post("/settings/pair")
def pair() -> str:
    """Settings with a new pairing code; it is shown once, so it is on no page of its own."""
    code = server().pairing.issue().code
    address = _address()
    image = segno.make(f"{address}/login#pair={code}", error="m").svg_inline(
        border=2, omitsize=True
    )
    qr = Markup(image)  # noqa: S704 -- segno draws it from our own link
    local = urlsplit(address).hostname in _LOOPBACK
    return _settings({"code": code, "qr": qr, "address": f"{address}/login", "local": local})


@blueprint.post("/settings/devices/<device_id>/revoke")
def revoke(device_id: str) -> Response:
    """Let a device in no more."""
    server().devices.revoke(device_id)
    return redirect("/settings", 303)


@blueprint.post("/settings/theme")
def theme() -> Response:
    """Light, dark, or as the system has it; kept in this browser."""
    wanted = request.form.get("theme", "")
    response = redirect("/settings", 303)
    if wanted in ("light", "dark"):
        response.set_cookie(
            THEME_COOKIE, wanted, max_age=_YEAR, httponly=True, samesite="Strict", path="/"
        )
    else:
        response.delete_cookie(THEME_COOKIE, path="/")
    return response


def _address() -> str:
    """Where another device finds this server: as this one does, unless that is loopback."""
    here = request.host_url.rstrip("/")
    return public_url(server().settings) if urlsplit(here).hostname in _LOOPBACK else here


def _new_form(given: Given, problem: str = "") -> str:
    agent = transport()
    adapters = offered(agent)
    ready = next((one.id for one in adapters if one.installed), "")
    notice = problem[:1].upper() + problem[1:]
    return render_template(
        "webui/new.html",
        adapters=adapters,
        folders=[folder.path for folder in agent.folders()],
        given=replace(given, adapter=given.adapter or ready, cwd=given.cwd or usual_folder(agent)),
        notice=notice,
        **shared(),
    )


def _given() -> Given:
    form = request.form
    adapter = form.get("adapter", "")
    return Given(
        adapter,
        form.get("cwd", ""),
        form.get(f"mode-{adapter}", ""),
        form.get(f"model-{adapter}", ""),
        form.get("message", ""),
    )


def _pane(pane: PaneInfo) -> dict[str, object]:
    known = site().lookup.adapter(pane.adapter or "")
    return {
        "id": pane.pane,
        "title": known.name if known else pane.title or pane.command,
        "command": pane.command,
        "cwd": pane.cwd,
        "folder": short(pane.cwd),
        "where": f"{pane.tmux_session} {pane.pane}, {pane.cols}x{pane.rows}",
        "adapter": pane.adapter if known else None,
        "session_id": pane.session_id,
        "css": css_class(pane.adapter or ""),
        "mark": mark(known, pane.adapter or pane.command),
    }


def _settings(pairing: dict[str, object] | None = None) -> str:
    agent = transport()
    return render_template(
        "webui/settings.html",
        devices=[_device(one) for one in server().devices.all()],
        pairing=pairing,
        adapters=offered(agent),
        plugins=agent.plugins(),
        version=__version__,
        **shared(),
    )


def _device(shown: Device) -> dict[str, object]:
    current = device()
    used = f"used {ago(shown.last_used.isoformat())} ago" if shown.last_used else "not used yet"
    return {
        "id": shown.id,
        "name": shown.name,
        "kind": shown.kind,
        "words": f"{_KINDS.get(shown.kind, shown.kind)}, {used}".replace("now ago", "just now"),
        "current": current is not None and current.id == shown.id,
        "revocable": shown.kind != OWNER,
    }
