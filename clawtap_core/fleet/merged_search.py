"""A search over all machines as one list, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_core.fleet.merged_pages import MergedList, read_places
from clawtap_core.fleet.router import Router
from clawtap_core.model import MessageMatch, SearchPage, SessionMatch
from clawtap_core.model.search import MOST_FOUND_SESSIONS

MESSAGES: MergedList[MessageMatch] = MergedList(
    SearchPage,
    "messages",
    at=lambda match: match.at,
    after=lambda match: match.place,
    before=lambda match: str(int(match.place) + 1),
)


def found_everywhere(router: Router, operation: str, arguments: Mapping[str, Any]) -> SearchPage:
    """Return the matches on all machines, or on the named one, and which machines are missing."""
    cursor, limit = arguments.get("cursor"), arguments.get("limit", 20)
    places = read_places(cursor)
    there = {**arguments, "limit": limit}
    pages, missing = MESSAGES.read_each(router, operation, there, places)
    messages, older = MESSAGES.merged(router, pages, places, limit)
    complete = all(page.complete for page in pages.values())
    sessions = _sessions(router, pages) if cursor is None else ()
    return SearchPage(sessions, messages, older, complete, missing)


def _sessions(router: Router, pages: Mapping[str, SearchPage]) -> tuple[SessionMatch, ...]:
    """Return the latest sessions that were found."""
    matches = (
        replace(match, machine=router.machine(machine))
        for machine, page in pages.items()
        for match in page.sessions
    )
    latest = sorted(matches, key=lambda match: match.last_activity, reverse=True)
    return tuple(latest[:MOST_FOUND_SESSIONS])
