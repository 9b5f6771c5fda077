"""Merge the lists of several machines, newest first, page by page.

A cursor holds how far each machine's list was read. So no item comes twice, and the items of a
machine that is away come once it is back.
"""

from __future__ import annotations

import heapq
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, Generic, TypeVar

from clawtap_core.errors import ClawTapError, ErrorCode
from clawtap_core.fleet.router import Router, ask_all
from clawtap_core.model import (
    Event,
    HistoryPage,
    LatestEvents,
    MachineStatus,
    MessageMatch,
    StoredSession,
)
from clawtap_core.transport import bad_cursor

Item = TypeVar("Item", Event, StoredSession, MessageMatch)


@dataclass(frozen=True, slots=True)
class MergedList(Generic[Item]):
    """A list over all machines; `items` is the name of the field of its page.

    `at` sorts the items; `after` and `before` are the cursors at an item, on its machine.
    """

    page: Callable[..., Any]
    items: str
    at: Callable[[Item], datetime]
    after: Callable[[Item], str]
    before: Callable[[Item], str]

    def read(self, router: Router, operation: str, arguments: Mapping[str, Any]) -> Any:
        """Return a page of all machines, or of the one that was named or has the session."""
        places, limit = read_places(arguments.get("cursor")), arguments.get("limit", 50)
        pages, missing = self.read_each(router, operation, {**arguments, "limit": limit}, places)
        items, cursor = self.merged(router, pages, places, limit)
        return self.page(items, cursor, missing)

    def merged(
        self, router: Router, pages: Mapping[str, Any], places: Mapping[str, str], limit: int
    ) -> tuple[tuple[Item, ...], str | None]:
        """Return the newest items of the pages of machines, and the next cursor."""
        rows = {
            machine: (getattr(page, self.items), page.cursor is not None)
            for machine, page in pages.items()
        }
        taken, cursor = merge(self, rows, places, limit)
        return tuple(replace(item, machine=router.machine(id_)) for id_, item in taken), cursor

    def read_each(
        self,
        router: Router,
        operation: str,
        arguments: Mapping[str, Any],
        places: Mapping[str, str],
    ) -> tuple[dict[str, Any], tuple[MachineStatus, ...]]:
        """Return the page of each machine after its place, and who is missing."""
        statuses: dict[str, MachineStatus] = {
            status.machine.id: status for status in router.fleet.machines()
        }
        session_id = arguments.get("session_id")
        only = router.named or (router.place_of(session_id) if session_id else None)
        asked = {router.fleet.own_id, *statuses} if only is None else {only}

        def read_one(machine: str) -> Any:
            return router.call(machine, operation, {**arguments, "cursor": places.get(machine)})

        results = ask_all(asked, read_one)
        errors = {id_: got for id_, got in results.items() if isinstance(got, ClawTapError)}
        pages = {id_: got for id_, got in results.items() if not isinstance(got, ClawTapError)}
        # A machine without the requested CLI has no items of it.
        ignored = ErrorCode.UNKNOWN_ADAPTER
        failed = {id_: error for id_, error in errors.items() if error.code != ignored}
        if not pages and (len(asked) == 1 or not failed):
            raise next(iter(errors.values()))
        missing = [
            replace(status, detail=failed[id_].message)
            for id_, status in statuses.items()
            if id_ in failed
        ]
        return pages, tuple(missing)


EVENTS: MergedList[Event] = MergedList(
    LatestEvents,
    "events",
    at=lambda event: event.at,
    after=lambda event: str(event.seq or 0),
    before=lambda event: str((event.seq or 0) + 1),
)
STORED: MergedList[StoredSession] = MergedList(
    HistoryPage,
    "sessions",
    at=lambda stored: stored.last_activity,
    after=lambda stored: stored.place,
    before=lambda stored: f"{stored.place}~",
)


def merge(
    order: MergedList[Item],
    pages: Mapping[str, tuple[Sequence[Item], bool]],
    places: Mapping[str, str],
    limit: int,
) -> tuple[list[tuple[str, Item]], str | None]:
    """Return the newest items of all machines, each with its machine, and the next cursor.

    `pages` has the items of each machine after its place, and whether it has more.
    """
    rows = [[(machine, item) for item in items] for machine, (items, _) in pages.items()]
    merged = heapq.merge(*rows, key=lambda row: order.at(row[1]), reverse=True)
    taken = list(islice(merged, limit))
    last = {machine: order.after(item) for machine, item in taken}
    # Items that are new on a machine since the first page belong above this one.
    heads = {machine: order.before(items[0]) for machine, (items, _) in pages.items() if items}
    more = any(more for _, more in pages.values()) or next(merged, None)
    return taken, write_places({**places, **heads, **last}) if more else None


def read_places(cursor: str | None) -> dict[str, str]:
    """Return the place of each machine; raise BadRequest for one that cannot be read."""
    if cursor is None:
        return {}
    try:
        places = json.loads(urlsafe_b64decode(cursor.encode("ascii")))
    except ValueError as error:
        raise bad_cursor() from error
    if not isinstance(places, dict) or not all(isinstance(one, str) for one in places.values()):
        raise bad_cursor()
    return places


def write_places(places: Mapping[str, str]) -> str:
    """Return a cursor."""
    return urlsafe_b64encode(json.dumps(places, separators=(",", ":")).encode()).decode()
