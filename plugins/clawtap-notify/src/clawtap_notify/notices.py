"""Short reports of events, without the full content of a question."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.commands import headline
from clawtap_core.model import Event, Prompt, Session
from clawtap_core.model.ansi import printable_line
from clawtap_core.schemas import load

ASKS = ("approval_required", "question_prompt")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Report:
    """One event for a webhook."""

    event: str
    title: str
    message: str
    path: str
    at: str
    session: Session
    request_id: str | None = None


def report(event: Event, session: Session) -> Report | None:
    """Return the report of an event, or None for one that needs none."""
    path, request = f"/sessions/{session.id}", None
    if event.type in ASKS:
        prompt = load(Prompt, event.data)
        request = prompt.request_id
        message, path = headline(prompt), f"{path}#prompt-{request}"
    elif event.type == "done":
        message = "The turn has ended"
    elif event.type == "session_error":
        message = f"Failed: {event.data.get('error') or 'something went wrong'}"
    else:
        return None
    return Report(
        event.type,
        printable_line(session.title, _LONGEST),
        printable_line(message, _LONGEST),
        path,
        event.at.isoformat(),
        session,
        request,
    )
