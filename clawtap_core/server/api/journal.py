"""The audit log."""

from __future__ import annotations

from clawtap_core.model import JournalPage, Role
from clawtap_core.schemas import JournalPageSchema, PageQuery, PageQuerySchema
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("journal", __name__, "Everything that happened")


@blueprint.route("GET", "/journal", query=PageQuerySchema, response=JournalPageSchema)
@requires(Role.WATCH)
def journal(page: PageQuery) -> JournalPage:
    """Return a page of the journal, oldest first."""
    return transport().journal(after=page.after, limit=page.limit, session_id=page.session_id)
