"""Lists of several machines as one, newest first, page by page.

A cursor holds the place that each machine's list was read to. So nothing comes twice, and what a
machine that is away cannot show comes once it is back.
"""

from __future__ import annotations

import heapq
import json
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Generic, TypeVar

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Event, StoredSession
from clawtap_core.transport import bad_cursor

Item = TypeVar("Item", Event, StoredSession)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Order(Generic[Item]):
    """How items are sorted, and the cursors after an item and before it, on its machine."""

    at: Callable[[Item], datetime]
    after: Callable[[Item], str]
    before: Callable[[Item], str]


EVENTS: Order[Event] = Order(
    lambda event: event.at,
    lambda event: str(event.seq or 0),
    lambda event: str((event.seq or 0) + 1),
)
STORED: Order[StoredSession] = Order(
    lambda stored: stored.last_activity,
    lambda stored: stored.place,
    lambda stored: f"{stored.place}~",
)


def merge(
    order: Order[Item],
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
    # What comes on a machine in the meantime belongs above this page.
    heads = {machine: order.before(items[0]) for machine, (items, _) in pages.items() if items}
    more = any(more for _, more in pages.values()) or next(merged, None)
    return taken, write_places({**places, **heads, **last}) if more else None


def read_places(cursor: str | None) -> dict[str, str]:
    """Return the place of each machine; raise BadRequest for a cursor that is none."""
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


def ask_all(
    machines: Iterable[str], ask: Callable[[str], Result]
) -> dict[str, Result | ClawTapError]:
    """Ask machines all at once; return what each gave, or the error that it raised."""
    results: dict[str, Result | ClawTapError] = {}

    def ask_one(machine: str) -> None:
        try:
            results[machine] = ask(machine)
        except ClawTapError as error:
            results[machine] = error

    threads = [threading.Thread(target=ask_one, args=(one,), daemon=True) for one in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
