"""The commands watch and journal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_machine, with_server
from clawtap_core.cli.lookup import session_named
from clawtap_core.cli.output import (
    as_json,
    dumped,
    echo,
    one_line,
    paint,
    print_json,
    print_line,
    print_rest,
)
from clawtap_core.errors import Unavailable, UsageError
from clawtap_core.model import Cursor, Event
from clawtap_core.transport import Transport

_COLOURS = {
    "approval_required": "33",
    "question_prompt": "33",
    "prompt_resolved": "32",
    "session_error": "31",
}
RECONNECT_SECONDS = 0.5
MOST_TRIES = 60
_NONE_HERE = "no events of this machine yet; --latest shows those of all machines"
_QUIET = ("snapshot", "text_delta", "screen")
_FIELDS = (
    "toolName",
    "title",
    "state",
    "text",
    "message",
    "error",
    "status",
    "detail",
    "name",
    "role",
    "mode",
    "model",
)


@click.command
@click.argument("session", required=False, shell_complete=complete.sessions)
@as_json
@with_server
def watch(server: Transport, session: str | None, as_json: bool) -> None:
    """Print events as they happen, one line each (stop with C-c)."""
    from clawtap_core.schemas import EventSchema

    named = session_named(server, session).id if session else None
    with suppress(KeyboardInterrupt):
        for event in follow_events(server, named):
            if as_json:
                print_line(EventSchema().dump(event))
            elif event.type not in _QUIET:
                echo(event_line(event))


@click.command
@click.option("--session", shell_complete=complete.sessions, help="Only this session.")
@click.option("--after", type=int, help="Only events after this sequence number.")
@click.option("--latest", is_flag=True, help="Newest first, of all machines of a fleet.")
@click.option("--cursor", help="Continue from an earlier page of --latest.")
@click.option("--limit", type=click.IntRange(1, 1000), default=200, show_default=True)
@as_json
@with_machine
def journal(
    server: Transport,
    session: str | None,
    after: int | None,
    latest: bool,
    cursor: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Print past events: prompts, answers, who gave them."""
    if after is not None and (latest or cursor):
        raise UsageError(
            "--after lists events from the oldest on: give it without --latest and --cursor"
        )
    named = session_named(server, session).id if session else None
    if latest or cursor:
        _print_latest(server, named, cursor, limit, as_json)
    else:
        _print_after(server, named, after or 0, limit, as_json)


def _print_latest(
    server: Transport, session_id: str | None, cursor: str | None, limit: int, as_json: bool
) -> None:
    page = server.latest_events(session_id=session_id, cursor=cursor, limit=limit)
    if as_json:
        print_json(dumped(page.events))
    else:
        width = max((len(e.machine.name) for e in page.events if e.machine), default=0)
        for event in page.events:
            name = f"{one_line(event.machine.name if event.machine else '', width):<{width}} "
            echo((name if width else "") + event_line(event))
    print_rest(page, "journal")


def _print_after(
    server: Transport, session_id: str | None, after: int, limit: int, as_json: bool
) -> None:
    page = server.journal(after=after, limit=limit, session_id=session_id)
    if as_json:
        print_json(dumped(page.events))
        return
    for event in page.events:
        echo(event_line(event))
    if not page.events and not after:
        elsewhere = any(not status.machine.here for status in server.machines())
        echo(_NONE_HERE if elsewhere else "no events yet", err=True)
    if page.events and (page.events[-1].seq or 0) < page.last and len(page.events) == limit:
        echo(f"more: --after {page.events[-1].seq} (the last is {page.last})", err=True)


def follow_events(server: Transport, session_id: str | None) -> Iterator[Event]:
    """Yield events as they come, and reconnect after the last one when the stream ends."""
    cursor = Cursor.parse(server.snapshot(session_id).cursor)
    tries = 0
    while True:
        try:
            for event in server.events(str(cursor), session_id=session_id):
                tries = 0
                if event:
                    yield event
                    cursor = cursor.after(event) or cursor
        except Unavailable:
            tries += 1
            if tries > MOST_TRIES:
                raise
        time.sleep(RECONNECT_SECONDS)


def event_line(event: Event) -> str:
    """Return an event as one line: number, time, session, type and text."""
    at = event.at.astimezone().strftime("%H:%M:%S")
    kind = paint(f"{event.type:<18}", _COLOURS.get(event.type, "36"))
    session = (event.session_id or "")[:8]
    return f"{event.seq or '':>6} {at} {session:<8} {kind} {_words(event.data)}".rstrip()


def _words(data: Mapping[str, Any]) -> str:
    if isinstance(content := data.get("content"), list):
        return one_line(
            f"{data.get('role')}: {' · '.join(filter(None, map(_block, content)))}", 160
        )
    if isinstance(data.get("toolCallId"), str) and "status" in data:
        return one_line(f"{data.get('toolName')}: {data['status']}", 160)
    words = [str(data[key]) for key in _FIELDS if isinstance(data.get(key), str) and data[key]]
    if isinstance(rule := data.get("rule"), Mapping):
        words.append(str(rule.get("name")))
    if isinstance(data.get("device"), str):
        words.append(f"by {data.get('by')} on {data['device']}")
    if isinstance(resolution := data.get("resolution"), Mapping):
        words.append(f"by {resolution.get('by')} on {resolution.get('device')}")
    return one_line(" · ".join(words), 160)


def _block(block: Any) -> str:
    if not isinstance(block, Mapping):
        return ""
    if block.get("type") == "tool_use":
        return f"[{block.get('toolName')}: {block.get('status')}]"
    return str(block.get("text", "")) if block.get("type") == "text" else ""
