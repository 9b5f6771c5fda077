"""The pages that show sessions and what they ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Blueprint, render_template
from markupsafe import Markup

from clawtap_core.errors import ClawTapError
from clawtap_core.model import AdapterInfo, Screen
from clawtap_core.schemas import dump
from clawtap_core.server.context import transport
from clawtap_core.server.render import screen_html
from clawtap_core.transport import Snapshot, Transport
from webui import errors
from webui.choices import offered
from webui.feed import items
from webui.rows import row, rows
from webui.site import shared, site

blueprint = Blueprint("webui", __name__, template_folder="templates")
errors.install(blueprint)
_FEED_EVENTS = 1000
_FEED_ITEMS = 60


@blueprint.get("/")
def home() -> str:
    """What waits, over all sessions, and the sessions."""
    agent = transport()
    now = agent.snapshot()
    renderer = site().renderer
    sessions = {session.id: dump(session) for session in now.sessions}
    adapters = offered(agent)
    return render_template(
        "webui/home.html",
        live=True,
        cursor=now.cursor,
        waiting=len(now.prompts),
        prompts=[renderer.prompt(dump(prompt)) for prompt in now.prompts],
        sessions=[renderer.row(sessions[one.id]) for one in rows(sessions.values())],
        demo=next((one for one in adapters if one.id == "demo"), None),
        adapters=[one for one in adapters if one.id != "demo"],
        folder=usual_folder(agent),
        **shared(),
    )


@blueprint.get("/sessions/<session_id>")
def session(session_id: str) -> str:
    """One session: what it asks, its terminal, and what is said to it."""
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
        adapter_name=info.name if info else shown.adapter,
        waiting=len(now.prompts),
        elsewhere=len(now.prompts) - len(mine),
        prompts=[renderer.prompt(dump(prompt)) for prompt in mine],
        queue=renderer.queue(session_id, queue),
        feed=_feed(agent, now, session_id),
        **_abilities(info),
        **_screen(agent, session_id),
        **shared(),
    )


def usual_folder(agent: Transport) -> str:
    """The folder that was used last; else the home folder."""
    folders = agent.folders()
    return folders[0].path if folders else str(Path.home())


def _feed(agent: Transport, now: Snapshot, session_id: str) -> list[Markup]:
    """The last items of a session's past, with the receipts of its prompts in their places."""
    last = int(now.cursor.rpartition("-")[2] or 0)
    page = agent.journal(
        after=max(0, last - _FEED_EVENTS), limit=_FEED_EVENTS, session_id=session_id
    )
    renderer = site().renderer
    shown: list[Markup] = []
    for event, found in items(page.events):
        if event.type == "prompt_resolved":
            shown.append(renderer.prompt(event.data))
        elif found:
            shown.append(renderer.item(found))
    return shown[-_FEED_ITEMS:]


def _abilities(info: AdapterInfo | None) -> dict[str, Any]:
    able = info.capabilities if info else None
    return {
        "modes": info.permission_modes if info and able and able.permission_modes else (),
        "models": info.models if info else (),
        "can_interrupt": bool(able and able.interrupt),
    }


def _screen(agent: Transport, session_id: str) -> dict[str, Any]:
    try:
        screen: Screen | None = agent.screen(session_id)
    except ClawTapError:
        screen = None
    html = Markup(screen_html(screen).rstrip()) if screen else ""  # noqa: S704 -- escaped by the server
    return {"screen": screen, "screen_html": html}
