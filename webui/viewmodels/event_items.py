"""What happened in a session, as items of its conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from clawtap_core.model import Event
from webui.markup.sanitizer import visible
from webui.viewmodels import message_items
from webui.viewmodels.feed_item import Item
from webui.viewmodels.message_items import moment
from webui.viewmodels.outcome import who

_ACTIONS = {
    "interrupt": ("stop", "Stopped"),
    "permission_mode": ("shield", "Mode switched to {mode}"),
    "model": ("sparkle", "Model switched to {model}"),
}


def items(event: Event) -> list[Item]:
    """The items of an event; none when it is nothing to read.

    A message that is only queued is hidden until it is sent: the queue shows it till then.
    """
    return list(_items(event))


def past(events: Iterable[Event]) -> list[Item | Event]:
    """What happened, as items, with the events of prompts that ended in their places.

    Of the messages only those are there that were sent, not those that were taken back.
    """
    happened = list(events)
    sent = {one.data.get("messageId") for one in happened if one.type == "message_sent"}
    ended = {f"prompt-{one.seq}": one for one in happened if one.type == "prompt_resolved"}
    found = [item for one in happened for item in _past(one, one.data.get("messageId") in sent)]
    return [ended.get(item.id, item) for item in found]


def _past(event: Event, sent: bool) -> list[Item]:
    if event.type == "prompt_resolved":
        return [Item(f"prompt-{event.seq}", str(event.session_id), "prompt", moment(event))]
    return [replace(one, hidden=False) for one in items(event) if sent or not one.hidden]


def _items(event: Event) -> Iterator[Item]:
    data, at = event.data, moment(event)
    if event.type == "message_queued":
        text = message_of(data)
        yield _item(event, "mine", str(data.get("messageId")), text=text, hidden=True)
    elif event.type == "message":
        yield from message_items.merged(
            message_items.said({"at": at, **data}, str(event.session_id))
        )
    elif event.type == "session_error":
        yield _note(event, "warning", str(data.get("error") or "Something went wrong"))
    elif event.type == "action":
        icon, words = _ACTIONS.get(str(data.get("action")), ("arrow", "{action}"))
        yield _note(event, icon, words.format_map(_Known(data)) + who(data))
    elif event.type == "keys":
        typed = ", ".join(map(str, data.get("keys") or ())) or "a line of text"
        yield _note(event, "key", f"Typed {typed}" + who(data))


def message_of(data: Mapping[str, Any]) -> str:
    """A message as it was queued, with the names of its files in lines of their own."""
    parts = [str(data.get("message") or ""), *map(str, data.get("attachments") or ())]
    return visible("\n".join(filter(None, parts)))


class _Known(dict[str, Any]):
    """The fields of an event; nothing for those it lacks."""

    def __missing__(self, _name: str) -> str:
        return ""


def _item(event: Event, kind: str, key: str, **values: Any) -> Item:
    session_id = str(event.session_id or "")
    return Item(f"feed-{session_id}-{key}", session_id, kind, moment(event), **values)


def _note(event: Event, icon: str, text: str) -> Item:
    return _item(event, "note", f"n{event.seq}", text=visible(text), icon=icon)
