"""The journal: who answered what, when, from where; filtered, and to take away."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flask import Blueprint, Response, render_template, request

from clawtap_core.model import Event
from clawtap_core.schemas import dump
from clawtap_core.server.context import transport
from webui.assets.brands import css_class, mark
from webui.site import shared, site
from webui.viewmodels import journal_rows
from webui.views import errors

blueprint = Blueprint("webui_journal", __name__)
errors.install(blueprint)
_SHOWN = 50
_FILTERS = (
    ("answers", "Answers"),
    ("messages", "Messages"),
    ("actions", "Actions"),
    ("errors", "Errors"),
    ("all", "Everything"),
)


@blueprint.get("/journal")
def journal() -> str:
    """The newest rows, and how to see others."""
    kind, session_id, before = _asked()
    agent = transport()
    rows = journal_rows.entries(agent, kind, session_id, before, _SHOWN)
    sessions = {one.id: one for one in agent.sessions()}
    return render_template(
        "webui/journal.html",
        rows=rows,
        sessions=sessions,
        marks={one.id: _mark(one.adapter) for one in sessions.values()},
        filters=_FILTERS,
        kind=kind,
        chosen=session_id or "",
        older=rows[-1].seq if len(rows) == _SHOWN else None,
        newer=before is not None,
        **shared(),
    )


@blueprint.get("/journal/export.<form>")
def export(form: str) -> Response:
    """The whole journal: the answers as CSV, or every event as a line of JSON."""
    agent, session_id = transport(), _asked()[1]
    events = journal_rows.oldest(agent, session_id)
    titles = {one.id: one.title for one in agent.sessions()}
    if form == "csv":
        lines = journal_rows.table(events, lambda one: titles.get(one, one))
        kind = "text/csv; charset=utf-8"
    else:
        lines, kind = _json_lines(events), "application/x-ndjson"
    response = Response(lines, mimetype=kind)
    name = "csv" if form == "csv" else "jsonl"
    response.headers["Content-Disposition"] = f'attachment; filename="clawtap-journal.{name}"'
    return response


def _json_lines(events: Iterator[Event]) -> Iterator[str]:
    for event in events:
        yield json.dumps(dump(event), ensure_ascii=False) + "\n"


def _asked() -> tuple[str, str | None, int | None]:
    before = request.args.get("before", "")
    kind = request.args.get("kind", "answers")
    known = {name for name, _ in _FILTERS}
    place = int(before) if before.isdecimal() and len(before) < 16 else None
    return kind if kind in known else "answers", request.args.get("session") or None, place


def _mark(adapter: str) -> tuple[str, str]:
    return css_class(adapter), mark(site().lookup.adapter(adapter), adapter)
