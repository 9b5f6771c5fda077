"""The journal: who answered what, when, from where; filtered, and to export."""

from __future__ import annotations

import json
from dataclasses import dataclass

from flask import Blueprint, Response, render_template, request

from clawtap_core.model import MachineState, Role
from clawtap_core.schemas import dump
from clawtap_core.server.context import transport
from clawtap_core.server.request_input import MACHINE
from clawtap_core.server.roles import requires
from clawtap_core.transport import Transport
from webui.assets.brands import css_class, mark
from webui.site import page_values, site
from webui.viewmodels import journal_rows
from webui.views import errors
from webui.views.chosen_machine import chosen_machine, page_at_cursor

blueprint = Blueprint("webui_journal", __name__)
errors.install(blueprint)
_PAGE_ROWS = 50
_FILTERS = (
    ("answers", "Answers"),
    ("messages", "Messages"),
    ("actions", "Actions"),
    ("errors", "Errors"),
    ("all", "Everything"),
)


@dataclass(frozen=True, slots=True)
class JournalQuery:
    """Which rows of the journal a request asks for."""

    kind: str
    session_id: str | None


@blueprint.get("/journal")
@requires(Role.WATCH)
def journal() -> str:
    """Show the newest rows."""
    query, machine = _query(), chosen_machine("/journal", every=True)
    runtime = transport()
    types = tuple(journal_rows.KINDS.get(query.kind, journal_rows.LISTED))
    page, newer = page_at_cursor(
        lambda cursor: runtime.latest_events(
            types=types, session_id=query.session_id, cursor=cursor, limit=_PAGE_ROWS
        )
    )
    lookup = site().lookup
    sessions = {session.id: lookup.row(session) for session in runtime.sessions()}
    adapters = {session.id: session.adapter for session in sessions.values()}
    return render_template(
        "webui/journal.html",
        rows=[row for event in page.events if (row := journal_rows.journal_row(event))],
        sessions=sessions,
        marks={
            session_id: (css_class(adapter), mark(lookup.adapter(adapter), adapter))
            for session_id, adapter in adapters.items()
        },
        filters=_FILTERS,
        kind=query.kind,
        chosen=query.session_id or "",
        older=page.cursor,
        newer=newer,
        missing=page.missing,
        machine=machine,
        **page_values(),
    )


@blueprint.get("/journal/export.csv", defaults={"form": "csv"})
@blueprint.get("/journal/export.jsonl", defaults={"form": "jsonl"})
@requires(Role.WATCH)
def export(form: str) -> Response:
    """Export the whole journal: the answers as CSV, or every event as a line of JSON."""
    runtime = transport()
    events = journal_rows.oldest_events(_machines(), _query().session_id)
    titles = {session.id: site().lookup.row(session).title for session in runtime.sessions()}
    if form == "csv":
        lines = journal_rows.csv_lines(
            events, lambda session_id: titles.get(session_id, session_id)
        )
        mimetype, suffix = "text/csv", "csv"
    else:
        lines = (json.dumps(dump(event), ensure_ascii=False) + "\n" for event in events)
        mimetype, suffix = "application/x-ndjson", "jsonl"
    response = Response(lines, mimetype=mimetype)
    response.headers["Content-Disposition"] = f'attachment; filename="clawtap-journal.{suffix}"'
    return response


def _machines() -> list[Transport]:
    """Return the machine that the request names, or every machine that can be reached."""
    if MACHINE in request.args:
        return [transport()]
    others = [status.machine for status in transport().machines() if not status.machine.here]
    online = [machine.id for machine in others if machine.state is MachineState.ONLINE]
    return [transport(), *map(transport().at, online)]


def _query() -> JournalQuery:
    kind = request.args.get("kind", "answers")
    return JournalQuery(
        kind=kind if kind in dict(_FILTERS) else "answers",
        session_id=request.args.get("session") or None,
    )
