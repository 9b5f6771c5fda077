"""Conversion of values and events to and from the journal's columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.journal.api import Kept, Value
from clawtap_core.model import Event, Prompt, QueuedMessage, Session
from clawtap_core.schemas import dump_kept, load_kept
from clawtap_core.schemas.text_checks import is_unicode, ready
from clawtap_core.schemas.type_check import plain

KINDS: dict[str, type[Value]] = {"session": Session, "prompt": Prompt, "queued": QueuedMessage}
_NAMES = {kind: name for name, kind in KINDS.items()}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Record:
    """One kept value; retention never drops an `open` one, `at` is its last change."""

    kind: str
    id: str
    alias: str | None
    open: bool
    at: int
    text: str


def key(value: Value) -> tuple[str, str]:
    """Return a value's kind and id."""
    return _NAMES[type(value)], value.request_id if isinstance(value, Prompt) else value.id


def record(value: Value) -> Record:
    """Return the row of a value."""
    kind, name = key(value)
    if isinstance(value, Prompt):
        at = value.resolution.at if value.resolution else value.created_at
        text = _proved(value)
        return Record(kind, name, value.form.tool_call_id, value.state.open, ticks(at), text)
    text = _text(dump_kept(value))
    if isinstance(value, Session):
        return Record(kind, name, None, not value.state.over, ticks(value.last_activity), text)
    return Record(kind, name, None, True, ticks(value.queued_at), text)


def value_of(kind: str, text: str) -> Value:
    """Return the value of a row."""
    return load_kept(KINDS[kind], json.loads(text))


def kept_of(values: Sequence[Value], markers: dict[tuple[str, str], Any]) -> Kept:
    """Return the state at the start, with open prompts only."""
    return Kept(
        tuple(value for value in values if isinstance(value, Session)),
        tuple(value for value in values if isinstance(value, Prompt) and value.state.open),
        tuple(value for value in values if isinstance(value, QueuedMessage)),
        markers,
    )


def sound(event: Event) -> Event:
    """Return the event with data that JSON can hold, whatever a plugin put there."""
    try:
        if is_unicode(event.json):
            return event
    except (TypeError, ValueError):
        pass
    return replace(event, data=ready(event.data))


def numbered(event: Event, seq: int) -> Event:
    """Return the event with its number, without encoding its JSON again."""
    found = replace(event, seq=seq)
    found.__dict__["json"] = event.json
    return found


def ticks(moment: datetime) -> int:
    """Return a moment as microseconds since 1970."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return (aware - _EPOCH) // _TICK


def moment(count: int) -> datetime:
    """Return the moment of microseconds since 1970."""
    return _EPOCH + count * _TICK


def _proved(prompt: Prompt) -> str:
    """Return a prompt's JSON; BadRequest if the next start could not read it."""
    try:
        text = _text(dump_kept(prompt))
        if not plain(prompt.form):
            value_of("prompt", text)
    except Exception as error:
        raise BadRequest(
            f"the prompt {prompt.request_id} cannot be kept: {error}",
            code=ErrorCode.PROMPT_NOT_SOUND,
        ) from error
    return text


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))
