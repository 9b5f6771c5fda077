"""The journal as rows to read and to export: who answered what, when, from where."""

from __future__ import annotations

import csv
import heapq
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from clawtap_core.commands import COMMAND_KEYS, PATH_KEYS, headline
from clawtap_core.model import Event, Kind, Prompt, PromptForm
from clawtap_core.schemas import load
from clawtap_core.transport import Transport
from webui.markup.sanitizer import visible
from webui.viewmodels.event_fields import EventFields, event_fields
from webui.viewmodels.event_items import action_words, message_text
from webui.viewmodels.outcome import outcome, sentence, who
from webui.viewmodels.prompt_card import MOST_SUBJECT
from webui.viewmodels.tool_change import PATCH_BEGIN, patched_files, take_text

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
LISTED = frozenset[str]().union(*KINDS.values())
COLUMNS = (
    *("at", "session", "type", "title", "outcome", "chosen"),
    *("reason", "by", "device", "machine"),
)


@dataclass(frozen=True, slots=True)
class JournalRow:
    """A row of the journal. `tone` colours it; `what` was asked or done, `how` it ended.

    `about` is the command or file that a permission was asked for. A `reason` is what somebody
    wrote; a `detail` is ClawTap's own.
    """

    at: str
    session_id: str
    machine: str
    tone: str
    icon: str
    what: str
    how: str
    who: str = ""
    reason: str = ""
    about: str = ""
    detail: str = ""


def journal_row(event: Event) -> JournalRow | None:
    """Return the row of an event, or None for an event that the page does not list."""
    fields = event_fields(event)
    if event.type == "prompt_resolved":
        return _answer_row(event)
    if event.type == "message_queued":
        sender = "Message" + who(fields.by, fields.device)
        return _row(event, "message", "send", message_text(fields), sender)
    if event.type == "action":
        icon, words = action_words(fields)
        return _row(event, "action", icon, visible(words), _actor(fields))
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


def oldest_events(transports: Iterable[Transport], session_id: str | None) -> Iterator[Event]:
    """Yield the events of the journals of machines, oldest first."""
    journals = (_events_of(transport, session_id) for transport in transports)
    return heapq.merge(*journals, key=lambda event: event.at)


def _events_of(transport: Transport, session_id: str | None) -> Iterator[Event]:
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


def _cells(event: Event, session: str) -> Iterator[str]:
    prompt = load(Prompt, event.data)
    ended, shown = prompt.resolution, outcome(prompt)
    yield event.at.isoformat()
    for cell in (
        session,
        prompt.form.kind.value,
        headline(prompt),
        ended.outcome.value if ended else "",
        "; ".join(label for _, label in shown.chosen) if shown else "",
        shown.reason if shown else "",
        ended.by if ended else "",
        ended.device if ended else "",
        event.machine.name if event.machine else "",
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
        event.at.isoformat(),
        prompt.session_id,
        _machine(event),
        shown.tone,
        shown.icon,
        visible(headline(prompt)),
        f"{shown.words}: {chosen}" if chosen else shown.words,
        sentence(shown.who.strip()),
        shown.reason,
        _about(prompt.form),
        "" if shown.reason else shown.detail,
    )


def _about(form: PromptForm) -> str:
    """Return the first line of the command, or the file, that a permission is for; else ""."""
    tool_input = dict(form.tool_input or {}) if form.kind is Kind.PERMISSION else {}
    command = take_text(tool_input, COMMAND_KEYS).strip()
    if not command or PATCH_BEGIN in command:
        command = take_text(tool_input, PATH_KEYS) or ", ".join(patched_files(command))
    return command.split("\n")[0][:MOST_SUBJECT]


def _row(event: Event, tone: str, icon: str, what: str, how: str) -> JournalRow:
    moment, session_id = event.at.isoformat(), event.session_id or ""
    return JournalRow(moment, session_id, _machine(event), tone, icon, sentence(what), how)


def _machine(event: Event) -> str:
    return visible(event.machine.name) if event.machine else ""


def _actor(fields: EventFields) -> str:
    return sentence(who(fields.by, fields.device).strip()) or "Done"
