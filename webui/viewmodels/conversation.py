"""A session's conversation as pages show it: its messages among what else happened there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Event, MessagePage
from clawtap_core.schemas import dump
from clawtap_core.transport import Transport
from webui.rendering.renderer import Renderer
from webui.viewmodels import message_items
from webui.viewmodels.event_items import past
from webui.viewmodels.feed_item import Item

MESSAGES = 50
_EVENTS = 1000
_ALONE = 60


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows of a conversation. `older` names the message before which there is more."""

    html: tuple[Markup, ...]
    talked: bool
    older: str
    status: Mapping[str, Any]


def latest(agent: Transport, renderer: Renderer, session_id: str, last: int) -> Shown:
    """The end of a conversation, with the receipts of prompts and notes in their places."""
    page = _read(agent, session_id, None)
    events = agent.journal(after=max(0, last - _EVENTS), limit=_EVENTS, session_id=session_id)
    said = list(items(page.messages, session_id))
    others = _beside(past(events.events), said, whole=not page.more)
    both = sorted([*said, *others], key=lambda one: one.order)
    html = tuple(_html(renderer, one) for one in (both if said else both[-_ALONE:]))
    talked = any(one.kind != "note" for one in said)
    return Shown(html, talked, first(page), page.status or {})


def earlier(agent: Transport, renderer: Renderer, session_id: str, before: str) -> Shown:
    """What was said before a message."""
    page = _read(agent, session_id, before)
    html = tuple(renderer.item(one) for one in items(page.messages, session_id))
    return Shown(html, True, first(page), {})


def items(messages: Iterable[Any], session_id: str) -> Iterator[Item]:
    """The items of messages, in the order in which they stand."""
    at = ""
    for number, message in enumerate(messages):
        wire = dump(message)
        at = wire.get("at") or at
        # Messages of the same moment stay in their order.
        found = message_items.merged(message_items.said({**wire, "at": at}, session_id))
        yield from (message_items.numbered(one, number) for one in found)


def _read(agent: Transport, session_id: str, before: str | None) -> MessagePage:
    try:
        return agent.messages(session_id, before=before, limit=MESSAGES)
    except ClawTapError:
        if before is not None:
            raise
        return MessagePage()


def first(page: MessagePage) -> str:
    """The message before which there are others; none where there are none."""
    return page.messages[0].id if page.more and page.messages else ""


@dataclass(frozen=True, slots=True)
class _Receipt:
    """A prompt that ended, in the place where it did."""

    order: str
    event: Event
    kind: str = "prompt"


def _beside(
    happened: Sequence[Item | Event], said: Sequence[Item], *, whole: bool
) -> list[Item | _Receipt]:
    """What the messages do not tell: receipts, notes, and what was sent and is not told yet."""
    since = "" if whole or not said else said[0].order
    told = {one.text.strip() for one in said if one.kind == "mine"}
    found: list[Item | _Receipt] = []
    for one in happened:
        entry = one if isinstance(one, Item) else _Receipt(message_items.moment(one), one)
        known = isinstance(entry, Item) and entry.kind == "mine" and entry.text.strip() in told
        if entry.order >= since and not known:
            found.append(entry)
    return found


def _html(renderer: Renderer, one: Item | _Receipt) -> Markup:
    return renderer.prompt(one.event.data) if isinstance(one, _Receipt) else renderer.item(one)
