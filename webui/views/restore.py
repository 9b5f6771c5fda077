"""Lost sessions: what ran, and bringing it back."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Blueprint, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from clawtap_core.errors import ErrorCode, Impossible
from clawtap_core.model import Restoration, RestoreOutcome
from clawtap_core.server.context import transport
from webui.assets.brands import css_class, mark
from webui.markup.sanitizer import visible
from webui.site import page_values, site
from webui.viewmodels.session_row import Row
from webui.views import errors
from webui.views.replies import reply

blueprint = Blueprint("webui_restore", __name__)
errors.install(blueprint)


@dataclass(frozen=True, slots=True)
class LostRow:
    """A lost session as a row of the list; without a `reason` it can be brought back."""

    row: Row
    adapter_name: str
    css: str
    mark: Markup
    reason: str


@blueprint.get("/restore")
def lost() -> str:
    """List the lost sessions, and why some cannot be brought back."""
    rows = [_lost_row(restoration) for restoration in transport().restore(dry_run=True)]
    named = request.args.getlist("without")
    without = [session for session in transport().sessions() if session.id in named]
    possible = sum(not row.reason for row in rows)
    return render_template(
        "webui/restore.html", rows=rows, possible=possible, without=without, **page_values()
    )


@blueprint.post("/restore")
def restore() -> Response:
    """Bring lost sessions back: all of them, or the one that the form names."""
    chosen = request.form.get("session")
    restored = transport().restore([chosen] if chosen else [])
    refused = [
        restoration for restoration in restored if restoration.outcome is RestoreOutcome.IMPOSSIBLE
    ]
    without = [
        restoration.session.id
        for restoration in restored
        if restoration.outcome is RestoreOutcome.WITHOUT_CONVERSATION
    ]
    if chosen and refused:
        raise Impossible(
            f"this session cannot be brought back: {refused[0].reason}", code=ErrorCode.NO_RESUME
        )
    if chosen:
        return reply(f"/sessions/{chosen}")
    if without:
        return reply("/restore?" + urlencode({"without": without}, doseq=True))
    return reply("/restore" if refused else "/")


def _lost_row(restoration: Restoration) -> LostRow:
    lookup, adapter = site().lookup, restoration.session.adapter
    info = lookup.adapter(adapter)
    return LostRow(
        lookup.row(restoration.session),
        info.name if info else adapter,
        css_class(adapter),
        mark(info, adapter),
        visible(restoration.reason or ""),
    )
