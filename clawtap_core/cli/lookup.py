"""From what a user typed to a session or a prompt: whole ids, or unique beginnings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from clawtap_core.cli.output import one_line
from clawtap_core.errors import BadRequest, ErrorCode, NotFound
from clawtap_core.model import Prompt, Session
from clawtap_core.transport import Transport

T = TypeVar("T")
SHORTEST = 8


def session_named(server: Transport, name: str) -> Session:
    """The session with this id or beginning of one."""
    sessions = server.sessions()
    found = _matching(sessions, name, lambda session: (session.id,))
    if len(found) == 1:
        return found[0]
    if found:
        raise _ambiguous("sessions", [session.id for session in found], name)
    known = ", ".join(short_ids([session.id for session in sessions]).values()) or "none"
    raise NotFound(f"no such session: {name!r} (known: {known})", code=ErrorCode.SESSION_NOT_FOUND)


def prompt_named(server: Transport, name: str | None) -> Prompt:
    """The prompt with this requestId or toolCallId; without a name, the only one that waits."""
    pending = server.pending()
    if name is None:
        return _only(pending)
    found = _matching(pending, name, _ids)
    if len(found) == 1:
        return found[0]
    if found:
        raise _ambiguous("prompts", [prompt.request_id for prompt in found], name)
    return server.prompt(name)


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Each id cut to a beginning that is unique among them."""
    length = SHORTEST
    while len({one[:length] for one in ids}) < len(set(ids)):
        length += 1
    return {one: one[:length] for one in ids}


def _only(pending: Sequence[Prompt]) -> Prompt:
    if not pending:
        raise NotFound("no prompt is open", code=ErrorCode.NOTHING_PENDING)
    if len(pending) == 1:
        return pending[0]
    waiting = "\n".join(
        f"  {prompt.request_id}  {one_line(prompt.form.title, 60)}" for prompt in pending
    )
    raise BadRequest(
        f"{len(pending)} prompts are open; name one of them:\n{waiting}\n",
        code=ErrorCode.SEVERAL_PENDING,
    )


def _ids(prompt: Prompt) -> tuple[str, ...]:
    call = prompt.form.tool_call_id
    return (prompt.request_id, call) if call else (prompt.request_id,)


def _matching(things: Iterable[T], name: str, ids: Callable[[T], tuple[str, ...]]) -> list[T]:
    """The one with exactly this id, else all whose ids begin so."""
    things = list(things)
    exact = [thing for thing in things if name in ids(thing)]
    return exact or [
        thing for thing in things if name and any(one.startswith(name) for one in ids(thing))
    ]


def _ambiguous(what: str, ids: Sequence[str], name: str) -> BadRequest:
    return BadRequest(
        f"{name!r} matches several {what}: {', '.join(ids)}",
        code=ErrorCode.AMBIGUOUS_ID,
    )
