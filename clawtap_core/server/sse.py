"""Events as a text/event-stream.

`id` is a cursor: "EPOCH-SEQ", with the epoch of the client's cursor or of the first `snapshot`, and
in a fleet a position for each other machine before it. Transient events (deltas, screens) have no
id, so a client reconnects after the last stored event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from flask import Flask, Response, current_app, request

from clawtap_core.model import Cursor, Device, Event, Role, ScreenEvent
from clawtap_core.model.event_types import STREAMED_TEXTS
from clawtap_core.server.broadcast import COMMENT, Client, Feed, Member, Pieces
from clawtap_core.server.connections import STREAMED
from clawtap_core.server.context import server_of, use_device
from clawtap_core.server.streamed_screen import streamed_screen
from clawtap_core.transport import Transport

# Shorter than the time after which proxies close a silent connection.
IDLE = 15.0
HELLO = b"retry: 1000\n\n"
# The key in `app.extensions` of a plugin's `Callable[[Event], str | None]`.
RENDER = "clawtap_render"

_CURSOR = re.compile(r"[\w.:~-]{1,2000}-\d{1,18}", re.ASCII)
# Encoded once for all clients. What a page shows differs by what its reader may do.
_encoded: WeakKeyDictionary[Event, dict[Role | None, bytes]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Subscription:
    """A client's request; `allowed` turns false when its device is revoked.

    `render` is the device for which events are rendered, if they are. `texts` is the only session
    whose text is sent while it is being written: None means every session, "" none.
    """

    transport: Transport
    allowed: Callable[[], bool]
    after: str | None = None
    session_id: str | None = None
    screens: bool = False
    render: Device | None = None
    texts: str | None = None
    shared: bool = False

    @property
    def kind(self) -> tuple[Role | None, str | None]:
        """Return what makes two shared streams the same: see `_encoded`."""
        return (self.render.role if self.render else None), self.texts

    def events(self, cursor: Cursor, idle: float) -> Iterator[Event | None]:
        """Return the events after a cursor, and None after `idle` seconds without one."""
        return self.transport.events(
            str(cursor) or None, session_id=self.session_id, screens=self.screens, idle=idle
        )

    def skips(self, event: Event) -> bool:
        """Return True for text that this client does not show."""
        return (
            self.texts is not None
            and event.type in STREAMED_TEXTS
            and event.session_id != self.texts
        )


def respond(subscription: Subscription) -> Response:
    """Return a response that streams while the client listens."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    client = request.environ.get(STREAMED) if subscription.shared else None
    response = Response(
        stream(app, subscription, client), mimetype="text/event-stream", direct_passthrough=True
    )
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def stream(app: Flask, subscription: Subscription, client: Client | None = None) -> Iterator[bytes]:
    """Yield the bytes of the stream; closing it closes the events below.

    A `client` that has caught up is sent the rest together with others.
    """
    yield HELLO
    after = subscription.after or ""
    encode = _Encoder(app, subscription, Cursor.parse(after if _CURSOR.fullmatch(after) else ""))
    idle = app.config.get("CLAWTAP_SSE_IDLE", IDLE)
    if client:
        yield from _together(app, subscription, encode, client, idle)
        return
    with closing(_pieces(subscription, encode, idle)) as pieces:
        for piece in pieces:
            if not subscription.allowed():
                return
            yield piece or COMMENT


def _together(
    app: Flask, subscription: Subscription, encode: _Encoder, client: Client, idle: float
) -> Iterator[bytes]:
    """Yield what the client missed, then have it sent what comes, until it falls behind."""
    while True:
        pieces = _pieces(subscription, encode, 0.0)
        if not (yield from _missed(pieces, subscription.allowed)):
            return
        member = Member(client, subscription.allowed)
        feed = Feed(pieces, encode, {member})
        events = partial(subscription.events, encode.cursor, idle)
        server_of(app).broadcasts.follow(subscription.kind, feed, member, events)
        if member.behind is None:
            return
        client.send_rest(member.rest)
        encode = _Encoder(app, subscription, member.behind)


def _missed(pieces: Pieces, allowed: Callable[[], bool]) -> Generator[bytes, None, bool]:
    """Yield the pieces that have come; return False if the stream is over, and close it then."""
    with ExitStack() as reading:
        reading.enter_context(closing(pieces))
        for piece in pieces:
            if not allowed():
                break
            if piece is None:
                reading.pop_all()
                return True
            yield piece
    return False


def _pieces(subscription: Subscription, encode: _Encoder, idle: float) -> Pieces:
    """Yield encoded events after the cursor, and None after `idle` seconds without one."""
    events = subscription.events(encode.cursor, idle)
    with closing(events):  # type: ignore[type-var]
        for event in events:
            if event is None:
                yield None
            elif not subscription.skips(event) and (encoded := encode(event)):
                yield encoded


class _Encoder:
    """Encodes events, remembering the cursor and the last screen."""

    def __init__(self, app: Flask, subscription: Subscription, cursor: Cursor) -> None:
        self._app = app
        self._subscription = subscription
        self.cursor = cursor
        self._revision = -1

    def __call__(self, event: Event) -> bytes | None:
        """Return the event's bytes; None for a screen that was sent already."""
        if isinstance(event, ScreenEvent):
            if event.screen.revision == self._revision:
                return None
            self._revision = event.screen.revision
        reader = self._subscription.render
        role = reader.role if reader else None
        encoded = _encoded.setdefault(event, {})
        if role not in encoded:
            name = " ".join(event.type.split())
            encoded[role] = f"event: {name}\ndata: {self._text(event, reader)}\n\n".encode()
        return self._id(event) + encoded[role]

    def _id(self, event: Event) -> bytes:
        if (cursor := self.cursor.after(event)) is None:
            return b""
        self.cursor = cursor
        return f"id: {cursor}\n".encode()

    def _text(self, event: Event, reader: Device | None) -> str:
        """Return the event's data as JSON, with what a page shows of it if it has a reader."""
        if isinstance(event, ScreenEvent):
            return _dumps(streamed_screen(event.session_id or "", event.screen))
        render = self._app.extensions.get(RENDER)
        if reader is None or render is None:
            return event.json
        with self._app.app_context():
            use_device(reader)
            html = render(event)
        if html is None:
            # The page takes this field for markup, which is ours only.
            data = {name: value for name, value in event.data.items() if name != "html"}
            return event.json if len(data) == len(event.data) else _dumps(data)
        # Text grows with each event: rendered, it is not sent a second time as it was written.
        known = {"text", "delta"} if event.type in STREAMED_TEXTS else ()
        data = {name: value for name, value in event.data.items() if name not in known}
        return _dumps({**data, "html": html})


def _dumps(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
