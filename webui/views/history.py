"""The conversations that the CLIs keep, ClawTap's or not: to read, and to go on with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from flask import Blueprint, Response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from clawtap_core.errors import ErrorCode, Impossible
from clawtap_core.model import LaunchRequest, StoredSession
from clawtap_core.server.context import transport
from webui.assets.brands import css_class, mark
from webui.markup.sanitizer import visible
from webui.site import shared, site
from webui.viewmodels import conversation
from webui.viewmodels.session_row import short
from webui.views import errors
from webui.views.sessions import older_items

blueprint = Blueprint("webui_history", __name__)
errors.install(blueprint)
_STEP = 50
_MOST = 1000


@blueprint.get("/history")
def history() -> str:
    """The newest conversations, of one CLI or of all."""
    adapter = request.args.get("adapter") or None
    asked = request.args.get("limit", "")
    limit = min(int(asked), _MOST) if asked.isdecimal() and len(asked) < 6 else _STEP
    found = transport().history(adapter=adapter, limit=limit + 1)
    return render_template(
        "webui/history.html",
        days=_by_day(found[:limit]),
        adapters=site().lookup.adapters().values(),
        chosen=adapter or "",
        more=limit + _STEP if len(found) > limit else None,
        **shared(),
    )


@blueprint.get("/history/<adapter>/<cli_session_id>")
def stored(adapter: str, cli_session_id: str) -> str:
    """One conversation, from its end."""
    kept = transport().stored(adapter, cli_session_id, limit=conversation.MESSAGES)
    page = kept.page
    found = conversation.items(page.messages, cli_session_id)
    return render_template(
        "webui/stored.html",
        one=_shown(kept.session),
        feed=[site().renderer.item(item) for item in found],
        older=conversation.first(page),
        resumable=_resumable(kept.session),
        **shared(),
    )


@blueprint.get("/history/<adapter>/<cli_session_id>/feed")
def feed(adapter: str, cli_session_id: str) -> Response:
    """What was said before a message."""
    before, limit = request.args.get("before", ""), conversation.MESSAGES
    page = transport().stored(adapter, cli_session_id, before=before, limit=limit).page
    found = conversation.items(page.messages, cli_session_id)
    return older_items([site().renderer.item(one) for one in found], conversation.first(page))


@blueprint.post("/history/<adapter>/<cli_session_id>/resume")
def resume(adapter: str, cli_session_id: str) -> AnyResponse:
    """Go on with a conversation; where a session has it already, that is shown."""
    agent = transport()
    kept = agent.stored(adapter, cli_session_id, limit=1).session
    if kept.session_id:
        return redirect(f"/sessions/{kept.session_id}", 303)
    if not kept.cwd:
        raise Impossible(
            "the CLI did not record the folder of this conversation", code=ErrorCode.NO_FOLDER
        )
    session = agent.start(LaunchRequest(adapter, kept.cwd, resume=cli_session_id))
    return redirect(f"/sessions/{session.id}", 303)


def _resumable(kept: StoredSession) -> bool:
    info = site().lookup.adapter(kept.adapter)
    return bool(kept.session_id or (kept.cwd and info and info.capabilities.resume))


def _shown(kept: StoredSession) -> dict[str, object]:
    info = site().lookup.adapter(kept.adapter)
    folder = PurePath(kept.cwd).name if kept.cwd else ""
    return {
        "adapter": kept.adapter,
        "name": info.name if info else kept.adapter,
        "css": css_class(kept.adapter),
        "mark": mark(info, kept.adapter),
        "id": kept.cli_session_id,
        "title": visible(" ".join((kept.title or folder or "Conversation").split())),
        "cwd": kept.cwd or "",
        "folder": short(kept.cwd) if kept.cwd else "",
        "at": kept.last_activity.isoformat(),
        "session_id": kept.session_id or "",
        "resumable": _resumable(kept),
    }


def _by_day(found: Sequence[StoredSession]) -> dict[str, list[dict[str, object]]]:
    today = datetime.now().astimezone().date()
    days: dict[str, list[dict[str, object]]] = {}
    for one in found:
        day = one.last_activity.astimezone().date()
        name = {0: "Today", 1: "Yesterday"}.get((today - day).days, f"{day:%d %B %Y}")
        days.setdefault(name, []).append(_shown(one))
    return days
