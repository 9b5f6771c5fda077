"""The journal as rows to read and to export: who answered what, when, from where."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from clawtap_core.model import Event, Prompt
from clawtap_core.schemas import load
from clawtap_core.transport import Transport
from webui.markup.sanitizer import visible
from webui.viewmodels.event_fields import EventFields, event_fields
from webui.viewmodels.event_items import message_text
from webui.viewmodels.outcome import outcome, sentence, who

PAGE_EVENTS = 500
RULES = {"rule_added": "Rule added: {}", "rule_removed": "Rule removed: {}"}
ACCESS = {
    "invitation_added": "Invited {} ({})",
    "invitation_removed": "Took the invitation of {} back ({})",
    "device_added": "Let in {} ({})",
    "device_removed": "Revoked {} ({})",
}
KINDS = {
    "answers": frozenset(("prompt_resolved",)),
    "messages": frozenset(("message_queued",)),
    "actions": frozenset(("action", "keys", "dialog_dismissed", *RULES, *ACCESS)),
    "errors": frozenset(("session_error",)),
}
COLUMNS = ("at", "session", "type", "title", "outcome", "chosen", "reason", "by", "device")


@dataclass(frozen=True, slots=True)
class JournalRow:
    """A row of the journal. `tone` colours it; `what` was asked or done, `how` it ended."""

    seq: int
    at: str
    session_id: str
    tone: str
    icon: str
    what: str
    how: str
    who: str = ""
    reason: str = ""


def journal_row(event: Event) -> JournalRow | None:
    """Return the row of an event, or None for an event that the page does not list."""
    fields = event_fields(event)
    if event.type == "prompt_resolved":
        return _answer_row(event)
    if event.type == "message_queued":
        sender = "Message" + who(fields.by, fields.device)
        return _row(event, "message", "send", message_text(fields), sender)
    if event.type == "action":
        words = f"{fields.action} {fields.mode} {fields.model}".replace("_", " ")
        return _row(event, "action", "arrow", visible(words), _actor(fields))
    if event.type == "keys":
        typed = ", ".join(fields.keys) or "a line of text"
        return _row(event, "action", "key", f"Typed {visible(typed)}", _actor(fields))
    if event.type == "dialog_dismissed":
        title = visible(fields.title or "a start-up dialog")
        return _row(event, "action", "cross", f"Dismissed: {title}", "By ClawTap")
    if event.type in RULES:
        words = RULES[event.type].format(visible(fields.rule))
        return _row(event, "action", "shield", words, _actor(fields))
    if event.type in ACCESS:
        words = ACCESS[event.type].format(visible(fields.name or "a device"), fields.role)
        return _row(event, "action", "key", words, _actor(fields))
    if event.type == "session_error":
        return _row(event, "error", "warning", visible(fields.error), "Error")
    return None


def newest_rows(
    transport: Transport, kind: str, session_id: str | None, before: int | None, limit: int
) -> list[JournalRow]:
    """Return the newest rows of a kind before a place in the journal."""
    rows: list[JournalRow] = []
    for event in _newest_events(transport, session_id, before):
        if kind in KINDS and event.type not in KINDS[kind]:
            continue
        if row := journal_row(event):
            rows.append(row)
        if len(rows) == limit:
            break
    return rows


def oldest_events(transport: Transport, session_id: str | None) -> Iterator[Event]:
    """Yield the events of the journal, oldest first."""
    after = 0
    while events := transport.journal(after=after, limit=PAGE_EVENTS, session_id=session_id).events:
        yield from events
        after = events[-1].seq or 0


def csv_lines(events: Iterable[Event], title_of: Callable[[str], str]) -> Iterator[str]:
    """Yield the answers as CSV, a line at a time."""
    yield _csv_line(COLUMNS)
    for event in events:
        if event.type == "prompt_resolved":
            yield _csv_line(_cells(event, title_of(event.session_id or "")))


def _newest_events(
    transport: Transport, session_id: str | None, before: int | None
) -> Iterator[Event]:
    end = transport.journal(limit=1).last + 1 if before is None else before
    while end > 1:
        start = max(0, end - 1 - PAGE_EVENTS)
        page = transport.journal(after=start, limit=PAGE_EVENTS, session_id=session_id)
        yield from (event for event in reversed(page.events) if (event.seq or 0) < end)
        end = start + 1


def _cells(event: Event, session: str) -> Iterator[str]:
    prompt = load(Prompt, event.data)
    ended, shown = prompt.resolution, outcome(prompt)
    yield event.at.isoformat()
    for cell in (
        session,
        prompt.form.kind.value,
        prompt.form.title,
        ended.outcome.value if ended else "",
        "; ".join(label for _, label in shown.chosen) if shown else "",
        shown.reason if shown else "",
        ended.by if ended else "",
        ended.device if ended else "",
    ):
        # A spreadsheet must not run what a CLI asked as a formula.
        yield f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _csv_line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(list(cells))
    return out.getvalue()


def _answer_row(event: Event) -> JournalRow | None:
    prompt = load(Prompt, event.data)
    shown = outcome(prompt)
    if shown is None:
        return None
    chosen = "; ".join(label for _, label in shown.chosen)
    return JournalRow(
        event.seq or 0,
        event.at.isoformat(),
        prompt.session_id,
        shown.tone,
        shown.icon,
        visible(prompt.form.title),
        f"{shown.words}: {chosen}" if chosen else shown.words,
        sentence(shown.who.strip()),
        shown.reason or shown.detail,
    )


def _row(event: Event, tone: str, icon: str, what: str, how: str) -> JournalRow:
    moment, session_id = event.at.isoformat(), event.session_id or ""
    return JournalRow(event.seq or 0, moment, session_id, tone, icon, sentence(what), how)


def _actor(fields: EventFields) -> str:
    return sentence(who(fields.by, fields.device).strip()) or "Done"
