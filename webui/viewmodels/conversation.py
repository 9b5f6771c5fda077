"""A session's conversation: its messages, and the events between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Event, Message, MessagePage
from clawtap_core.transport import Transport
from webui.viewmodels.event_items import past_entries
from webui.viewmodels.feed_item import Entry, Item
from webui.viewmodels.message_items import merged, message_items, numbered

PAGE_MESSAGES = 50
_EVENTS = 500
_ENTRIES_WITHOUT_MESSAGES = 60


@dataclass(frozen=True, slots=True)
class Conversation:
    """A part of a conversation. `older` is the message before which there is more."""

    entries: tuple[Entry, ...]
    has_messages: bool
    older: str
    status: Mapping[str, Any] = field(default_factory=dict)


def latest(transport: Transport, session_id: str) -> Conversation:
    """Return the end of a conversation, with ended prompts and notes at their places."""
    page = _messages(transport, session_id, None)
    events = _events(transport, session_id)
    folder = transport.session(session_id).cwd
    items = list(page_items(page.messages, session_id, folder))
    others = _not_in_messages(past_entries(events), items, complete=not page.more)
    entries = sorted([*items, *others], key=lambda entry: entry.order)
    if not items:
        entries = entries[-_ENTRIES_WITHOUT_MESSAGES:]
    has_messages = any(item.kind != "note" for item in items)
    return Conversation(tuple(entries), has_messages, older_than(page), page.status or {})


def earlier(transport: Transport, session_id: str, before: str) -> Conversation:
    """Return the messages before one."""
    page = _messages(transport, session_id, before)
    folder = transport.session(session_id).cwd
    items = tuple(page_items(page.messages, session_id, folder))
    return Conversation(items, True, older_than(page))


def anchor(transport: Transport, session_id: str, message_id: str) -> str:
    """Return the id of the element that shows a message, if it is on the last page."""
    return anchor_in(_messages(transport, session_id, None).messages, session_id, message_id)


def anchor_in(messages: Iterable[Message], session_id: str, message_id: str) -> str:
    """Return the id of the first element of a message; "" if it is not there or shows nothing."""
    chosen = [message for message in messages if message.id == message_id]
    return next((item.id for item in page_items(chosen, session_id)), "")


def page_items(messages: Iterable[Message], session_id: str, folder: str = "") -> Iterator[Item]:
    """Yield the items of messages, in the order of the messages."""
    moment = None
    for number, message in enumerate(messages):
        moment = message.at or moment
        # Messages of the same moment keep their order.
        for item in merged(message_items(replace(message, at=moment), session_id, folder)):
            yield numbered(item, number)


def older_than(page: MessagePage) -> str:
    """Return the id before which there are older messages; "" if there are none."""
    return page.messages[0].id if page.more and page.messages else ""


def newer_than(page: MessagePage) -> str:
    """Return the id after which there are newer messages; "" if there are none."""
    return page.messages[-1].id if page.newer and page.messages else ""


def _messages(transport: Transport, session_id: str, before: str | None) -> MessagePage:
    try:
        return transport.messages(session_id, before=before, limit=PAGE_MESSAGES)
    except ClawTapError:
        if before is not None:
            raise
        return MessagePage()


def _events(transport: Transport, session_id: str) -> list[Event]:
    """Return the latest events of a session, oldest first; none while its machine is away."""
    try:
        events = transport.latest_events(session_id=session_id, limit=_EVENTS).events
    except ClawTapError:
        return []
    return list(reversed(events))


def _not_in_messages(
    entries: Sequence[Entry], items: Sequence[Item], *, complete: bool
) -> list[Entry]:
    """Return the entries that the messages lack: ended prompts, notes, newer messages."""
    since = "" if complete or not items else items[0].order
    shown = {(item.kind, item.text.strip()) for item in items if item.kind in ("user", "note")}
    return [
        entry
        for entry in entries
        if entry.order >= since
        and not (
            isinstance(entry, Item)
            and not entry.device
            and (entry.kind, entry.text.strip()) in shown
        )
    ]
