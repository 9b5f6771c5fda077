"""What happened, as rows to read and to take away: who answered what, when, from where."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clawtap_core.model import Event
from clawtap_core.transport import Transport
from webui.markup.sanitizer import visible
from webui.viewmodels.event_items import message_of
from webui.viewmodels.outcome import outcome, sentence, who

STEP = 500
KINDS = {
    "answers": frozenset(("prompt_resolved",)),
    "messages": frozenset(("message_queued",)),
    "actions": frozenset(("action", "keys", "dialog_dismissed")),
    "errors": frozenset(("session_error",)),
}
COLUMNS = ("at", "session", "type", "title", "outcome", "chosen", "reason", "by", "device")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the journal. `tone` colours it; `what` was asked or done, `how` it ended."""

    seq: int
    at: str
    session_id: str
    tone: str
    icon: str
    what: str
    how: str
    who: str
    reason: str = ""


def entry(event: Event) -> Entry | None:
    """The row of an event; None when it is none that a person looks for."""
    data = event.data
    if event.type == "prompt_resolved":
        return _answer(event)
    if event.type == "message_queued":
        return _entry(event, "message", "send", message_of(data), "Message" + who(data))
    if event.type == "action":
        what = " ".join(str(data.get(name) or "") for name in ("action", "mode", "model"))
        return _entry(event, "action", "arrow", visible(what.replace("_", " ")), _done(data))
    if event.type == "keys":
        typed = ", ".join(map(str, data.get("keys") or ())) or "a line of text"
        return _entry(event, "action", "key", f"Typed {visible(typed)}", _done(data))
    if event.type == "dialog_dismissed":
        what = visible(str(data.get("title") or "a start-up dialog"))
        return _entry(event, "action", "cross", f"Put away: {what}", "By ClawTap")
    if event.type == "session_error":
        return _entry(event, "error", "warning", visible(str(data.get("error") or "")), "Error")
    return None


def entries(
    agent: Transport, kind: str, session_id: str | None, before: int | None, limit: int
) -> list[Entry]:
    """The newest rows of this kind before a place in the journal."""
    found: list[Entry] = []
    for event in newest(agent, session_id, before):
        if kind in KINDS and event.type not in KINDS[kind]:
            continue
        if one := entry(event):
            found.append(one)
        if len(found) == limit:
            break
    return found


def newest(agent: Transport, session_id: str | None, before: int | None) -> Iterator[Event]:
    """Events, newest first, a step at a time."""
    end = agent.journal(limit=1).last + 1 if before is None else before
    while end > 1:
        start = max(0, end - 1 - STEP)
        page = agent.journal(after=start, limit=STEP, session_id=session_id)
        yield from (one for one in reversed(page.events) if (one.seq or 0) < end)
        end = start + 1


def oldest(agent: Transport, session_id: str | None) -> Iterator[Event]:
    """Events, oldest first."""
    after = 0
    while page := agent.journal(after=after, limit=STEP, session_id=session_id).events:
        yield from page
        after = page[-1].seq or 0


def table(events: Iterable[Event], title: Callable[[str], str]) -> Iterator[str]:
    """The answers as a table in CSV, a line at a time."""
    yield _line(COLUMNS)
    for event in events:
        if event.type == "prompt_resolved":
            yield _line(_cells(event, title(str(event.session_id))))


def _cells(event: Event, session: str) -> Iterator[str]:
    data, ended = event.data, event.data.get("resolution") or {}
    shown = outcome(data)
    chosen = "; ".join(label for _, label in shown.chosen) if shown else ""
    reason = shown.reason if shown else ""
    told = (session, data.get("type"), data.get("title"), ended.get("outcome"), chosen, reason)
    yield event.at.isoformat()
    for cell in (*told, ended.get("by"), ended.get("device")):
        text = str(cell or "")
        # A spreadsheet must not take what a CLI asked for a formula.
        yield f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(list(cells))
    return out.getvalue()


def _answer(event: Event) -> Entry | None:
    shown = outcome(event.data)
    if shown is None:
        return None
    chosen = "; ".join(label for _, label in shown.chosen)
    return Entry(
        event.seq or 0,
        event.at.isoformat(),
        str(event.session_id),
        shown.tone,
        shown.icon,
        visible(str(event.data.get("title") or "")),
        f"{shown.outcome}: {chosen}" if chosen else shown.outcome,
        sentence(shown.who.strip()),
        shown.reason or shown.detail,
    )


def _entry(event: Event, tone: str, icon: str, what: str, how: str) -> Entry:
    at = event.at.isoformat()
    return Entry(event.seq or 0, at, str(event.session_id), tone, icon, sentence(what), how, "")


def _done(data: Mapping[str, Any]) -> str:
    return sentence(who(data).strip()) or "Done"
