"""Search, as a page and for the command palette."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from clawtap_core.errors import BadRequest
from clawtap_core.model import Role, SearchPage, SessionMatch
from clawtap_core.schemas.request_bodies import LONGEST_SEARCH
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires
from webui.assets.brands import css_class, mark
from webui.site import page_values, site
from webui.viewmodels import search_results
from webui.viewmodels.search_results import Results
from webui.viewmodels.session_row import by_attention
from webui.views import errors
from webui.views.chosen_machine import ChosenMachine, chosen_machine
from webui.views.replies import sent_by_script

blueprint = Blueprint("webui_search", __name__)
errors.install(blueprint)
_RECENT = 6
_IN_PALETTE = 12
_ON_PAGE = 30


@blueprint.get("/find")
@requires(Role.WATCH)
def find() -> str:
    """Show the matches; for the palette, only the list."""
    text = request.args.get("q", "").strip()[:LONGEST_SEARCH]
    results = _find(text, request.args.get("cursor") or None)
    values = {"results": results, "css_class": css_class, "marks": _marks(results)}
    if sent_by_script():
        machine = ChosenMachine()
        return render_template("webui/partials/found.html", palette=True, machine=machine, **values)
    machine = chosen_machine("/find", every=True)
    values = {**values, "machine": machine, **page_values()}
    return render_template("webui/find.html", palette=False, **values)


def _find(text: str, cursor: str | None) -> Results:
    names = {adapter.id: adapter.name for adapter in site().lookup.adapters().values()}
    if not text:
        return search_results.results("", _recent(), names)
    limit = _IN_PALETTE if sent_by_script() else _ON_PAGE
    try:
        page = transport().search(text, cursor=cursor, limit=limit)
    except BadRequest:
        # Somebody edited the address: begin with the first page.
        page = transport().search(text, limit=limit)
    return search_results.results(text, page, names)


def _recent() -> SearchPage:
    sessions = [session for session in transport().sessions() if not session.archived]
    rows = [site().lookup.row(session) for session in by_attention(sessions)[:_RECENT]]
    by_id = {session.id: session for session in sessions}
    return SearchPage(
        tuple(
            SessionMatch(
                row.adapter,
                row.title,
                by_id[row.id].last_activity,
                row.cwd,
                row.id,
                machine=by_id[row.id].machine,
            )
            for row in rows
        )
    )


def _marks(results: Results) -> dict[str, str]:
    adapters = {hit.adapter for hit in (*results.sessions, *results.messages)}
    return {adapter: mark(site().lookup.adapter(adapter), adapter) for adapter in adapters}
