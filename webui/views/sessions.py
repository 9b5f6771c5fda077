"""The pages that show sessions and what they ask."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, render_template, request
from markupsafe import Markup

from clawtap_core.errors import ClawTapError
from clawtap_core.model import MAX_ATTACHMENT_BYTES, AdapterInfo, Screen, Snapshot
from clawtap_core.schemas import MOST_FILES, dump
from clawtap_core.server.context import transport
from clawtap_core.server.screen_html import screen_html
from clawtap_core.transport import Transport
from webui.site import shared, site
from webui.viewmodels import conversation
from webui.viewmodels.adapter_choices import offered
from webui.viewmodels.session_row import row, rows
from webui.views import errors

blueprint = Blueprint("webui", "webui", template_folder="templates")
errors.install(blueprint)


@blueprint.get("/")
def home() -> str:
    """What waits, over all sessions, and the sessions."""
    agent = transport()
    now = agent.snapshot()
    return render_template(
        "webui/home.html",
        live=True,
        cursor=now.cursor,
        waiting=len(now.prompts),
        prompts=[site().renderer.prompt(dump(prompt)) for prompt in now.prompts],
        **_side(agent, now),
        **shared(),
    )


@blueprint.get("/sessions/<session_id>")
def session(session_id: str) -> str:
    """One session: what is said in it, what it asks, its terminal."""
    agent = transport()
    now, wire = agent.snapshot(), dump(agent.session(session_id))
    shown, renderer = row(wire), site().renderer
    info = site().lookup.adapter(shown.adapter)
    mine = [prompt for prompt in now.prompts if prompt.session_id == session_id]
    queue = [dump(message) for message in now.queue if message.session_id == session_id]
    return render_template(
        "webui/session.html",
        live=True,
        cursor=now.cursor,
        row=shown,
        head=renderer.head(wire),
        over=renderer.over(wire),
        adapter_name=info.name if info else shown.adapter,
        waiting=len(now.prompts),
        elsewhere=len(now.prompts) - len(mine),
        prompts=[renderer.prompt(dump(prompt)) for prompt in mine],
        queue=renderer.queue(session_id, queue),
        **_talk(agent, now, session_id),
        **_abilities(info),
        files={"most": MOST_FILES, "largest": MAX_ATTACHMENT_BYTES},
        **_screen(agent, session_id),
        has_screen=wire["channel"] == "terminal",
        **_side(agent, now),
        **shared(),
    )


@blueprint.get("/sessions/<session_id>/feed")
def feed(session_id: str) -> Response:
    """What was said before a message; without one, what was said last."""
    agent = transport()
    if before := request.args.get("before"):
        shown = conversation.earlier(agent, site().renderer, session_id, before)
    else:
        shown = _latest(agent, agent.snapshot(), session_id)
    return older_items(shown.html, shown.older)


def older_items(html: Iterable[Markup], older: str) -> Response:
    """Items to stand above others; a header names where it goes on."""
    response = Response("\n".join(html), mimetype="text/html")
    response.headers["X-Older"] = quote(older)
    return response


def _side(agent: Transport, now: Snapshot) -> dict[str, Any]:
    """The list of sessions, and what a newcomer needs where it is empty."""
    wire = {one.id: dump(one) for one in now.sessions}
    found: dict[str, Any] = {
        "sessions": [site().renderer.row(wire[one.id]) for one in rows(wire.values())]
    }
    if not wire:
        adapters = offered(agent)
        found["demo"] = next((one for one in adapters if one.id == "demo"), None)
        found["adapters"] = [one for one in adapters if one.id != "demo"]
        found["folder"] = usual_folder(agent)
    return found


def usual_folder(agent: Transport) -> str:
    """The folder that was used last; else the home folder."""
    folders = agent.folders()
    return folders[0].path if folders else str(Path.home())


def _latest(agent: Transport, now: Snapshot, session_id: str) -> conversation.Shown:
    last = int(now.cursor.rpartition("-")[2] or 0)
    return conversation.latest(agent, site().renderer, session_id, last)


def _talk(agent: Transport, now: Snapshot, session_id: str) -> dict[str, Any]:
    shown = _latest(agent, now, session_id)
    return {
        "feed": shown.html,
        "talked": shown.talked,
        "older": shown.older,
        "usage": site().renderer.usage(session_id, shown.status),
    }


def _abilities(info: AdapterInfo | None) -> dict[str, Any]:
    able = info.capabilities if info else None
    return {
        "modes": info.permission_modes if info and able and able.permission_modes else (),
        "models": info.models if info else (),
        "commands": info.slash_commands if info else (),
        "can_interrupt": bool(able and able.interrupt),
    }


def _screen(agent: Transport, session_id: str) -> dict[str, Any]:
    try:
        screen: Screen | None = agent.screen(session_id)
    except ClawTapError:
        screen = None
    html = Markup(screen_html(screen).rstrip()) if screen else ""  # noqa: S704 -- escaped by the server
    return {"screen": screen, "screen_html": html}
