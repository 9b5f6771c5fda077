"""Messages of a conversation as items to show: text, thoughts, tools with what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from clawtap_core.model import Event
from webui.markup.sanitizer import rich, visible
from webui.viewmodels.feed_item import Item, Result, Tool
from webui.viewmodels.prompt_body import Block, diff_blocks, tool_blocks

SHOWN = 20_000
_OPEN_DIFF = 30
_STATES = {
    "error": ("error", "warning", "failed"),
    "cancelled": ("denied", "cross", "refused or stopped"),
    "pending": ("running", "clock", "runs"),
}
_DONE = ("done", "check", "done")
_NOTICES = {"error": "warning", "interrupted": "stop", "compaction": "expand"}
_SUBJECTS = (
    *("command", "cmd", "script", "file_path", "path", "filename", "pattern", "query", "url"),
    *("description", "prompt", "title", "name"),
)


def said(message: Mapping[str, Any], session_id: str) -> Iterator[Item]:
    """The items of one message of the wire; an item with a known id takes the old one's place."""
    for index, block in enumerate(message.get("content") or ()):
        if found := _item(message, session_id, index, block):
            yield found


def merged(items: Iterable[Item]) -> list[Item]:
    """Items with each result in the card of its tool, and each id once, where it first stood."""
    found: dict[str, Item] = {}
    cards: dict[str, str] = {}
    for item in items:
        if item.tool and item.kind == "tool":
            cards[item.tool.result.id] = item.id
        if item.tool and item.kind == "result":
            if card := cards.get(item.id):
                found[card] = _with_result(found[card], item.tool)
            continue
        found[item.id] = item
    return list(found.values())


def _with_result(card: Item, ended: Tool) -> Item:
    """The card with what came of its tool; the change that was made shows better than its plan."""
    if card.tool is None:
        return card
    rest = tuple(block for block in card.tool.blocks if not (ended.blocks and block.change))
    blocks = (*rest, *ended.blocks)
    tool = replace(card.tool, result=ended.result, blocks=blocks, open=_small(blocks))
    return replace(card, tool=tool)


def _item(
    message: Mapping[str, Any], session_id: str, index: int, block: Mapping[str, Any]
) -> Item | None:
    order = f"{sortable(str(message.get('at') or ''))}#{index:03d}"
    key = f"feed-{session_id}-{message.get('id')}-{index}"
    kind, text = block.get("type"), str(block.get("text") or "")
    if kind == "tool_use":
        call = str(block.get("toolCallId") or key)
        tool = _tool(block, session_id)
        return Item(_tool_id(session_id, call), session_id, "tool", order, tool=tool)
    if kind == "tool_result":
        result = _result(block, session_id)
        tool = Tool("", "", diff_blocks(str(block.get("diff") or "")), result)
        return Item(result.id, session_id, "result", order, tool=tool)
    if not text.strip():
        return None
    if kind == "thinking":
        return Item(key, session_id, "thought", order, html=rich(text))
    if message.get("role") == "system":
        icon = _NOTICES.get(str(message.get("notice")), "sparkle")
        return Item(key, session_id, "note", order, text=visible(text), icon=icon)
    if message.get("role") == "user":
        return Item(key, session_id, "mine", order, text=visible(text))
    origin = visible(str(message.get("origin") or ""))
    return Item(key, session_id, "theirs", order, html=rich(text), text=origin)


def numbered(item: Item, number: int) -> Item:
    """The item after those of the same moment that stand before it."""
    at, _, index = item.order.partition("#")
    return replace(item, order=f"{at}#{number:04d}.{index}")


def moment(event: Event) -> str:
    """When something happened, in a form that sorts."""
    return sortable(event.at.isoformat(timespec="microseconds"))


def sortable(moment: str) -> str:
    """An ISO 8601 moment in UTC that sorts with others, whether it has fractions or not."""
    return moment.replace("+00:00", "").removesuffix("Z")


def _tool_id(session_id: str, call: str) -> str:
    return f"feed-{session_id}-t-{call}"


def _tool(block: Mapping[str, Any], session_id: str) -> Tool:
    given = dict(block.get("input") or {})
    subject = next((str(given[name]) for name in _SUBJECTS if given.get(name)), "")
    shown = tool_blocks(given)
    return Tool(
        visible(str(block.get("toolName") or "Tool")),
        visible(" ".join(subject.split()))[:200],
        shown,
        _result({"status": "pending", **block, "text": ""}, session_id),
        open=_small(shown),
    )


def _small(shown: tuple[Block, ...]) -> bool:
    """Whether a card shows a change that is short enough to stand open."""
    change = next((one.change for one in shown if one.change), None)
    return change is not None and len(change.lines) <= _OPEN_DIFF


def _result(block: Mapping[str, Any], session_id: str) -> Result:
    tone, icon, word = _STATES.get(str(block.get("status") or ""), _DONE)
    text = visible(str(block.get("text") or "")).strip("\n")
    return Result(
        f"result-{session_id}-{block.get('toolCallId')}",
        tone,
        icon,
        word,
        text[:SHOWN],
        max(0, len(text) - SHOWN),
    )
