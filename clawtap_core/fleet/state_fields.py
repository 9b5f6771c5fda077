"""A machine's state as fields of one hash: each session, open prompt and queue is a field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_core.model import Event, Snapshot
from clawtap_core.schemas import dump

SESSION, PROMPT, QUEUE = "session", "prompt", "queue"
# The sequence number of the last event that the state includes.
SEQ = "seq"
# The adapters, by which its sessions are named also when nobody has seen the machine online.
ADAPTERS = "adapters"
_OPEN = frozenset(("approval_required", "question_prompt", "prompt_updated"))


def field_name(kind: str, name: object) -> str:
    """Return the field of a session, prompt or queue."""
    return f"{kind}:{name}"


def fields_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return the whole state as fields."""
    fields: dict[str, Any] = {SEQ: int(snapshot.cursor.rpartition("-")[2])}
    for session in snapshot.sessions:
        fields[field_name(SESSION, session.id)] = dump(session)
        queue = [dump(each) for each in snapshot.queue if each.session_id == session.id]
        if queue:
            fields[field_name(QUEUE, session.id)] = queue
    for prompt in snapshot.prompts:
        fields[field_name(PROMPT, prompt.request_id)] = dump(prompt)
    return fields


def changed_fields(event: Event) -> dict[str, Any]:
    """Return the fields that an event changes; None removes one."""
    data: Mapping[str, Any] = event.data
    if event.type == "session_status":
        return {field_name(SESSION, event.session_id): data}
    if event.type in _OPEN:
        return {field_name(PROMPT, data["requestId"]): data}
    if event.type == "prompt_resolved":
        return {field_name(PROMPT, data["requestId"]): None}
    if event.type == "queue_update":
        return {field_name(QUEUE, event.session_id): data["queue"] or None}
    if event.type == "session_removed":
        kinds = (SESSION, QUEUE)
        return {field_name(kind, event.session_id): None for kind in kinds}
    return {}
