"""The conversations that the CLIs have stored: to read and to resume."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from urllib.parse import quote, urlencode

from flask import Blueprint, Response, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.model import Role, StoredSession
from clawtap_core.server.context import to_all_machines, transport
from clawtap_core.server.request_input import MACHINE
from clawtap_core.server.roles import requires
from webui.assets.brands import css_class, mark
from webui.markup.sanitizer import visible
from webui.site import page_values, site
from webui.viewmodels import conversation
from webui.viewmodels.session_row import short_path
from webui.views import errors
from webui.views.chosen_machine import ChosenMachine, chosen_machine, page_at_cursor
from webui.views.replies import once, reply
from webui.views.sessions import feed_response

blueprint = Blueprint("webui_history", __name__)
errors.install(blueprint)
_PAGE = 50


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A stored conversation as a row of the list."""

    adapter: str
    adapter_name: str
    css: str
    mark: Markup
    id: str
    title: str
    cwd: str
    folder: str
    at: str
    session_id: str
    resumable: bool
    machine: str
    machine_id: str

    def url(self, action: str = "") -> str:
        """Return the address of the conversation on its machine, or of an action on it."""
        path = f"/history/{quote(self.adapter, safe='')}/{quote(self.id, safe='')}{action}"
        return f"{path}?{urlencode({MACHINE: self.machine_id})}" if self.machine_id else path


@blueprint.get("/history")
@requires(Role.WATCH)
def history() -> str:
    """List the newest conversations, of one CLI or of all."""
    adapter = request.args.get("adapter") or None
    machine = chosen_machine("/history", every=True)
    page, newer = page_at_cursor(
        lambda cursor: transport().history(adapter=adapter, cursor=cursor, limit=_PAGE)
    )
    # An adapter of any program has no history. A phone has room for the first few.
    statuses = [status for status in to_all_machines().adapters() if status.info.commands]
    statuses.sort(key=lambda status: not (status.installed or status.elsewhere))
    return render_template(
        "webui/history.html",
        days=_by_day(page.sessions),
        adapters=[status.info for status in statuses],
        chosen=adapter or "",
        older=page.cursor,
        newer=newer,
        missing=page.missing,
        machine=machine,
        **page_values(),
    )


@blueprint.get("/history/<adapter>/<cli_session_id>")
@requires(Role.WATCH)
def stored(adapter: str, cli_session_id: str) -> str:
    """Show one conversation, from its end or around one message."""
    message, limit = request.args.get("message"), conversation.PAGE_MESSAGES
    try:
        kept = transport().stored(adapter, cli_session_id, around=message, limit=limit)
    except NotFound as error:
        # It was rewound since it was found: the conversation is there all the same.
        if error.code != ErrorCode.MESSAGE_NOT_FOUND:
            raise
        message = None
        kept = transport().stored(adapter, cli_session_id, limit=limit)
    anchor = conversation.anchor_in(kept.page.messages, cli_session_id, message or "")
    items = conversation.page_items(kept.page.messages, cli_session_id, kept.session.cwd or "")
    return render_template(
        "webui/stored.html",
        row=_row(kept.session),
        feed=[site().renderer.item(item) for item in items],
        older=conversation.older_than(kept.page),
        newer=conversation.newer_than(kept.page),
        anchor=anchor,
        machine=ChosenMachine(),
        **page_values(),
    )


@blueprint.get("/history/<adapter>/<cli_session_id>/feed")
@requires(Role.WATCH)
def feed(adapter: str, cli_session_id: str) -> Response:
    """Return the messages before or after one as HTML."""
    limit = conversation.PAGE_MESSAGES
    after = request.args.get("after")
    before = None if after else request.args.get("before", "")
    page = transport().stored(adapter, cli_session_id, before=before, after=after, limit=limit).page
    items = conversation.page_items(page.messages, cli_session_id)
    response = feed_response(map(site().renderer.item, items), conversation.older_than(page))
    response.headers["X-Newer"] = quote(conversation.newer_than(page))
    return response


@blueprint.post("/history/<adapter>/<cli_session_id>/resume")
def resume(adapter: str, cli_session_id: str) -> AnyResponse:
    """Resume a conversation, or show the session that runs it already."""
    session_id = once(lambda: transport().resume_stored(adapter, cli_session_id).id)
    return reply(f"/sessions/{session_id}")


def _row(kept: StoredSession) -> StoredRow:
    info = site().lookup.adapter(kept.adapter)
    folder = PurePath(kept.cwd).name if kept.cwd else ""
    return StoredRow(
        adapter=kept.adapter,
        adapter_name=info.name if info else kept.adapter,
        css=css_class(kept.adapter),
        mark=mark(info, kept.adapter),
        id=kept.cli_session_id,
        title=visible(" ".join((kept.title or folder or "Conversation").split())),
        cwd=kept.cwd or "",
        folder=short_path(kept.cwd) if kept.cwd else "",
        at=kept.last_activity.isoformat(),
        session_id=kept.session_id or "",
        resumable=bool(kept.session_id or (kept.cwd and info and info.capabilities.resume)),
        machine=visible(kept.machine.name) if kept.machine else "",
        machine_id=kept.machine.id if kept.machine else request.args.get(MACHINE, ""),
    )


def _by_day(stored_sessions: Sequence[StoredSession]) -> dict[str, list[StoredRow]]:
    today = datetime.now().astimezone().date()
    days: dict[str, list[StoredRow]] = {}
    for kept in stored_sessions:
        day = kept.last_activity.astimezone().date()
        name = {0: "Today", 1: "Yesterday"}.get((today - day).days, f"{day:%d %B %Y}")
        days.setdefault(name, []).append(_row(kept))
    return days
