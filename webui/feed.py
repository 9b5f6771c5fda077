"""What happened in a session, as items of its conversation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from clawtap_core.model import Event
from webui.markup import rich, visible
from webui.receipt import who

_ACTIONS = {
    "interrupt": ("stop", "Stopped"),
    "permission_mode": ("shield", "Mode switched to {mode}"),
    "model": ("sparkle", "Model switched to {model}"),
}


_NONE = Markup()


@dataclass(frozen=True, slots=True)
class Item:
    """One item. `kind`: mine (a message of the user), theirs (of the CLI), note."""

    id: str
    session_id: str
    kind: str
    at: str
    text: str = ""
    html: Markup = _NONE
    icon: str = ""
    hidden: bool = False


def item(event: Event) -> Item | None:
    """The item of an event; None when it is nothing to read.

    A message that is only queued is hidden until it is sent: the queue shows it till then.
    """
    data = event.data
    if event.type == "message_queued":
        text = visible(str(data.get("message") or ""))
        return _item(event, "mine", str(data.get("messageId")), text=text, hidden=True)
    if event.type == "message":
        return _spoken(event)
    if event.type == "session_error":
        return _note(event, "warning", str(data.get("error") or "Something went wrong"))
    if event.type == "action":
        icon, words = _ACTIONS.get(str(data.get("action")), ("arrow", "{action}"))
        return _note(event, icon, words.format_map(_Known(data)) + who(data))
    if event.type == "keys":
        typed = ", ".join(map(str, data.get("keys") or ())) or "a line of text"
        return _note(event, "key", f"Typed {typed}" + who(data))
    return None


def items(events: Iterable[Event]) -> list[tuple[Event, Item | None]]:
    """Events with their items; of the messages only those that were sent, not those taken back."""
    happened = list(events)
    sent = {one.data.get("messageId") for one in happened if one.type == "message_sent"}
    return [(one, _settled(item(one), one.data.get("messageId") in sent)) for one in happened]


def _settled(found: Item | None, sent: bool) -> Item | None:
    if found and found.hidden:
        return replace(found, hidden=False) if sent else None
    return found


class _Known(dict[str, Any]):
    """The fields of an event; nothing for those it lacks."""

    def __missing__(self, _name: str) -> str:
        return ""


def _item(event: Event, kind: str, key: str, **values: Any) -> Item:
    session_id = str(event.session_id or "")
    return Item(f"feed-{session_id}-{key}", session_id, kind, event.at.isoformat(), **values)


def _note(event: Event, icon: str, text: str) -> Item:
    return _item(event, "note", f"n{event.seq}", text=visible(text), icon=icon)


def _spoken(event: Event) -> Item | None:
    """A message of the transcript: its text; what tools did is told elsewhere."""
    data = event.data
    blocks = data.get("content") or ()
    text = "\n\n".join(str(one.get("text") or "") for one in blocks if one.get("type") == "text")
    if not text.strip():
        return None
    mine = data.get("role") == "user"
    key = str(data.get("id") or f"s{event.seq}")
    if mine:
        return _item(event, "mine", key, text=visible(text))
    return _item(event, "theirs", key, html=rich(text))
