"""Search over sessions and what was said in them."""

from __future__ import annotations

from clawtap_core.model import Role, SearchPage
from clawtap_core.schemas import SearchPageSchema, SearchQuery, SearchQuerySchema
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("search", __name__, "Search")


@blueprint.route("GET", "/search", query=SearchQuerySchema, response=SearchPageSchema)
@requires(Role.WATCH)
def search(query: SearchQuery) -> SearchPage:
    """Return the sessions and messages that have all the words, newest first."""
    return transport().search(query.q, cursor=query.cursor, limit=query.limit)
