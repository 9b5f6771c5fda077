"""The pages that begin a session: a new one, or one that runs in a pane already."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import Blueprint, make_response, redirect, render_template, request
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError
from clawtap_core.model import LaunchRequest, PaneInfo
from clawtap_core.schemas import Adoption, StartBodySchema, read_body
from clawtap_core.server.context import transport
from webui.assets.brands import css_class, mark
from webui.site import shared, site
from webui.viewmodels.adapter_choices import offered
from webui.viewmodels.outcome import sentence
from webui.viewmodels.session_row import short
from webui.views import errors
from webui.views.sessions import usual_folder

blueprint = Blueprint("webui_beginning", __name__)
errors.install(blueprint)


@dataclass(frozen=True, slots=True)
class Given:
    """What the form of a new session holds."""

    adapter: str = ""
    cwd: str = ""
    mode: str = ""
    model: str = ""
    channel: str = ""
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
        "channel": given.channel,
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


def _new_form(given: Given, problem: str = "") -> str:
    agent = transport()
    adapters = offered(agent)
    ready = next((one.id for one in adapters if one.installed), "")
    return render_template(
        "webui/new.html",
        adapters=adapters,
        folders=[folder.path for folder in agent.folders()],
        given=replace(given, adapter=given.adapter or ready, cwd=given.cwd or usual_folder(agent)),
        notice=sentence(problem),
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
        form.get(f"channel-{adapter}", ""),
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
