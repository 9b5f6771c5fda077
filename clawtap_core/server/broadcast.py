"""Event streams that several clients have in common.

Who follows the same events in the same form is sent the same bytes: one thread reads and encodes
them, and writes to each client what it takes at once. A client joins when it has caught up. One
that does not take the whole of a piece leaves: its own thread serves it until it has caught up.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

from clawtap_core.model import Cursor

log = logging.getLogger(__name__)
COMMENT = b": idle\n\n"
Pieces = Generator[bytes | None, None, None]


class Client(Protocol):
    """The streamed response to one client."""

    def send_now(self, piece: bytes) -> bytes:
        """Send without waiting; return what was not taken, for `send_rest`."""

    def send_rest(self, rest: bytes) -> None:
        """Send the rest of a piece, before anything else is sent."""


@dataclass(eq=False)
class Member:
    """A client in a broadcast; `allowed` turns false when its device is revoked.

    Its own thread sends `rest`, and continues after `behind`, unless the stream is over.
    """

    client: Client
    allowed: Callable[[], bool]
    left: threading.Event = field(default_factory=threading.Event)
    rest: bytes = b""
    behind: Cursor | None = None


class Place(Protocol):
    """A place in a stream."""

    @property
    def cursor(self) -> Cursor:
        """Return the cursor of the last piece."""


@dataclass(eq=False)
class Feed:
    """A stream that has been read to its end: `pieces` never waits, but yields None there."""

    pieces: Pieces
    place: Place
    members: set[Member]

    def send_new(self) -> bool:
        """Send what has come; return whether anything has."""
        came = False
        try:
            for piece in self.pieces:
                if piece is None:
                    return came
                came = True
                self.send(piece)
        except Exception:
            log.exception("an event stream failed")
        self.end()
        return came

    def send(self, piece: bytes) -> None:
        """Send a piece to every member; who does not take it leaves."""
        for member in tuple(self.members):
            try:
                rest = member.client.send_now(piece) if member.allowed() else None
            except OSError:  # the client hung up
                rest = None
            if rest != b"":
                if rest:
                    member.rest, member.behind = rest, self.place.cursor
                self.remove(member)

    def remove(self, member: Member) -> None:
        """Leave a member to its own thread."""
        self.members.discard(member)
        member.left.set()

    def end(self) -> None:
        """End the streams of all members."""
        for member in tuple(self.members):
            self.remove(member)


class Broadcasts:
    """The streams of one server that several clients have in common, by kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Hashable, _Broadcast] = {}

    def follow(
        self,
        kind: Hashable,
        feed: Feed,
        member: Member,
        events: Callable[[], Iterator[object | None]],
    ) -> None:
        """Send a stream to a member until it leaves, beginning with a feed of its own.

        `events` returns the events of such a stream, and None after a while without one.
        """
        with self._lock:
            if (broadcast := self._open.get(kind)) is None:
                broadcast = self._open[kind] = _Broadcast()
                threading.Thread(
                    target=self._run,
                    args=(kind, broadcast, events()),
                    name="clawtap-broadcast",
                    daemon=True,
                ).start()
            broadcast.followers += 1
        try:
            broadcast.add(feed)
            member.left.wait()
        finally:
            broadcast.remove(member)
            with self._lock:
                broadcast.followers -= 1

    def _run(self, kind: Hashable, broadcast: _Broadcast, events: Iterator[object | None]) -> None:
        try:
            with closing(events):  # type: ignore[type-var]
                for event in events:
                    broadcast.send_new(silent=event is None)
                    with self._lock:
                        if not broadcast.followers:
                            del self._open[kind]
                            return
        finally:
            with self._lock:
                if self._open.get(kind) is broadcast:
                    del self._open[kind]
            broadcast.end()


class _Broadcast:
    """The feeds of one kind; those at the same place become one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._feeds: list[Feed] = []
        self._over = False
        self.followers = 0

    def add(self, feed: Feed) -> None:
        with self._lock:
            self._feeds.append(feed)
            self._send_new()

    def remove(self, member: Member) -> None:
        with self._lock:
            for feed in self._feeds:
                feed.remove(member)

    def send_new(self, *, silent: bool) -> None:
        """Send what has come, and a comment if nothing has for a while."""
        with self._lock:
            self._send_new()
            for feed in self._feeds if silent else ():
                feed.send(COMMENT)

    def end(self) -> None:
        """End every stream, those that are added later, too."""
        with self._lock:
            self._over = True
            self._send_new()

    def _send_new(self) -> None:
        # Until none brings anything: then they differ by nothing but their cursors, even in text
        # that is being written, which has no cursor.
        while sum(feed.send_new() for feed in self._feeds):
            pass
        places: dict[str, Feed] = {}
        for feed in self._feeds:
            if self._over:
                feed.end()
            elif feed.members:
                first = places.setdefault(str(feed.place.cursor), feed)
                first.members |= feed.members
                if first is feed:
                    continue
            feed.pieces.close()
        self._feeds = list(places.values())
