"""The pages that start a session, or connect one that runs in a pane already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, make_response, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError
from clawtap_core.model import LaunchRequest, PaneInfo
from clawtap_core.schemas import Adoption, StartBodySchema, read_body
from clawtap_core.server.context import transport
from webui.assets.brands import css_class, mark
from webui.site import page_values, site
from webui.viewmodels.adapter_choices import AdapterChoice, adapter_choices
from webui.viewmodels.outcome import sentence
from webui.viewmodels.session_row import short_path
from webui.views import errors
from webui.views.chosen_machine import ChosenMachine, chosen_machine
from webui.views.replies import once, reply, sent_by_script
from webui.views.sessions import default_folder, last_folder

blueprint = Blueprint("webui_new_session", __name__)
errors.install(blueprint)


@dataclass(frozen=True, slots=True)
class LaunchForm:
    """The fields of the form of a new session."""

    adapter: str = ""
    cwd: str = ""
    mode: str = ""
    model: str = ""
    effort: str = ""
    channel: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Offered:
    """What the form offers on a machine, and the CLI and folder that it begins with."""

    adapters: Sequence[AdapterChoice] = ()
    folders: Sequence[str] = ()
    adapter: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class PaneRow:
    """A running pane as a row of the list."""

    id: str
    title: str
    command: str
    cwd: str
    folder: str
    location: str
    adapter: str | None
    session_id: str | None
    css: str
    mark: Markup


@blueprint.get("/new")
def new() -> Response:
    """Show the form of a new session."""
    return _page(LaunchForm(request.args.get("adapter", ""), request.args.get("cwd", "")))


@blueprint.post("/new")
def start() -> Response:
    """Start a session; when that fails the form comes back as it was, with the reason."""
    form = _submitted_form()
    body = {
        "adapter": form.adapter,
        "cwd": form.cwd.strip(),
        "permissionMode": form.mode,
        "model": form.model,
        "effort": form.effort,
        "channel": form.channel,
        "message": form.message.strip().replace("\r\n", "\n"),
    }
    required = ("adapter", "cwd")
    filled = {name: value for name, value in body.items() if value or name in required}
    try:
        launch: LaunchRequest = read_body(StartBodySchema, filled)
        session_id = once(lambda: transport().start(launch).id)
    except ClawTapError as error:
        if sent_by_script():
            raise
        return _page(form, error)
    return reply(f"/sessions/{session_id}")


@blueprint.get("/adopt")
def panes() -> str:
    """List the running panes."""
    machine = chosen_machine("/adopt")
    runtime = machine.transport()
    known_first = sorted(runtime.panes(), key=lambda pane: (pane.adapter is None, pane.pane))
    return render_template(
        "webui/adopt.html",
        panes=[_pane_row(pane) for pane in known_first],
        adapters=adapter_choices(runtime),
        machine=machine,
        **page_values(),
    )


@blueprint.post("/adopt")
def adopt() -> Response:
    """Connect the session that runs in a pane."""
    body = {"adopt": request.form.get("pane", ""), "adapter": request.form.get("adapter") or None}
    adoption: Adoption = read_body(StartBodySchema, body)
    session_id = once(lambda: transport().adopt(adoption.pane, adoption.adapter).id)
    return reply(f"/sessions/{session_id}")


def _page(form: LaunchForm, error: ClawTapError | None = None) -> Response:
    """Return the form; it has the reason in place of CLIs if its machine cannot be reached."""
    machine, offered = ChosenMachine(), Offered()
    try:
        machine = chosen_machine("/new")
        offered = _offered(machine)
    except ClawTapError as away:
        error = error or away
    page = render_template(
        "webui/new.html",
        adapters=offered.adapters,
        folders=offered.folders,
        form=replace(form, adapter=form.adapter or offered.adapter, cwd=form.cwd or offered.folder),
        notice=sentence(error.message) if error else "",
        machine=machine,
        **page_values(),
    )
    return make_response(page, error.status if error else 200)


def _offered(machine: ChosenMachine) -> Offered:
    runtime = machine.transport()
    adapters = [choice for choice in adapter_choices(runtime) if choice.program]
    return Offered(
        adapters,
        [folder.path for folder in runtime.folders()],
        next((choice.id for choice in adapters if choice.installed), ""),
        default_folder(runtime) if machine.here else last_folder(runtime),
    )


def _submitted_form() -> LaunchForm:
    fields = request.form
    adapter = fields.get("adapter", "")
    return LaunchForm(
        adapter=adapter,
        cwd=fields.get("cwd", ""),
        mode=fields.get(f"mode-{adapter}", ""),
        model=fields.get(f"model-{adapter}", ""),
        effort=fields.get(f"effort-{adapter}", ""),
        channel=fields.get(f"channel-{adapter}", ""),
        message=fields.get("message", ""),
    )


def _pane_row(pane: PaneInfo) -> PaneRow:
    info = site().lookup.adapter(pane.adapter or "")
    return PaneRow(
        id=pane.pane,
        title=info.name if info else pane.title or pane.command,
        command=pane.command,
        cwd=pane.cwd,
        folder=short_path(pane.cwd),
        location=f"{pane.tmux_session} {pane.pane}, {pane.cols}x{pane.rows}",
        adapter=pane.adapter if info else None,
        session_id=pane.session_id,
        css=css_class(pane.adapter or ""),
        mark=mark(info, pane.adapter or pane.command),
    )
