"""Events of a session as items of its conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from clawtap_core.model import Event, Message, Prompt
from clawtap_core.schemas import load
from webui.markup.sanitizer import visible
from webui.viewmodels.event_fields import EventFields, event_fields
from webui.viewmodels.feed_item import EndedPrompt, Entry, Item
from webui.viewmodels.message_items import merged, message_items
from webui.viewmodels.outcome import sentence, who
from webui.viewmodels.timestamps import sort_key


def event_items(event: Event, folder: str = "") -> list[Item]:
    """Return the items of an event, often none."""
    return list(_items(event, folder))


def past_entries(events: Iterable[Event]) -> list[Entry]:
    """Return the entries of events; queued messages count only once they were sent."""
    events = list(events)
    sent = {event_fields(event).message_id for event in events if event.type == "message_sent"}
    return [entry for event in events for entry in _past(event, sent)]


def _past(event: Event, sent: set[str]) -> Iterator[Entry]:
    if event.type == "prompt_resolved":
        yield EndedPrompt(load(Prompt, event.data), sort_key(event.at))
        return
    was_sent = event_fields(event).message_id in sent
    for item in event_items(event):
        if was_sent or not item.hidden:
            yield replace(item, hidden=False)


def _items(event: Event, folder: str) -> Iterator[Item]:
    fields = event_fields(event)
    if event.type == "message_queued":
        # Hidden until it is sent: the queue shows it until then.
        text = message_text(fields)
        yield _item(event, "user", fields.message_id, text=text, hidden=True)
    elif event.type == "message":
        message = load(Message, event.data)
        dated = replace(message, at=message.at or event.at)
        yield from merged(message_items(dated, event.session_id or "", folder))
    elif event.type == "session_error":
        yield _note(event, "warning", sentence(fields.error or "something went wrong"))
    elif event.type == "action":
        icon, words = action_words(fields)
        yield _deed(event, icon, words, fields)
    elif event.type == "keys":
        typed = ", ".join(fields.keys) or "a line of text"
        yield _deed(event, "key", f"Typed {typed}", fields)


def message_text(fields: EventFields) -> str:
    """Return a queued message, followed by the names of its files."""
    return visible("\n".join(filter(None, (fields.message, *fields.attachments))))


def action_words(fields: EventFields) -> tuple[str, str]:
    """Return the icon and the words of an action."""
    if fields.action == "interrupt":
        return "stop", "Stopped"
    if fields.action == "permission_mode":
        return "shield", f"Mode switched to {fields.mode}"
    if fields.action == "model":
        return "sparkle", f"Model switched to {fields.model}"
    return "arrow", fields.action


def _item(event: Event, kind: str, key: str, *, text: str, hidden: bool = False) -> Item:
    session_id = event.session_id or ""
    item_id = f"feed-{session_id}-{key}"
    return Item(item_id, session_id, kind, sort_key(event.at), text=text, hidden=hidden)


def _deed(event: Event, icon: str, words: str, fields: EventFields) -> Item:
    """Return the note of what somebody did; the page says "by you" of its own device."""
    if fields.by == "user" and fields.device:
        device = visible(fields.device)
        return replace(_note(event, icon, words), device=device, device_id=fields.device_id)
    return _note(event, icon, words + who(fields.by, fields.device))


def _note(event: Event, icon: str, text: str) -> Item:
    return replace(_item(event, "note", f"n{event.seq}", text=visible(text)), icon=icon)
