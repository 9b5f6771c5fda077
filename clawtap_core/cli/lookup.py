"""Look up a session or prompt by its id or a unique prefix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from clawtap_core.cli.output import one_line
from clawtap_core.commands import headline
from clawtap_core.errors import BadRequest, ErrorCode, NotFound
from clawtap_core.model import Prompt, Session
from clawtap_core.transport import Transport

T = TypeVar("T")
SHORTEST = 8


def session_named(server: Transport, name: str) -> Session:
    """Return the session with this id or prefix."""
    sessions = server.sessions()
    matches = _matching(sessions, name, lambda session: (session.id,))
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise _ambiguous("sessions", [session.id for session in matches], name)
    ids = ", ".join(short_ids([session.id for session in sessions]).values()) or "none"
    raise NotFound(f"no such session: {name!r} (known: {ids})", code=ErrorCode.SESSION_NOT_FOUND)


def prompt_named(server: Transport, name: str | None) -> Prompt:
    """Return the prompt with this id, toolCallId or prefix; without a name, the only open one."""
    pending = server.pending()
    if name is None:
        return _only(pending)
    matches = _matching(pending, name, _ids)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise _ambiguous("prompts", [prompt.request_id for prompt in matches], name)
    return server.prompt(name)


def queued_id(server: Transport, session_id: str, name: str) -> str:
    """Return the id of the queued message with this id or prefix; the server refuses others."""
    matches = _matching(server.queue(session_id), name, lambda message: (message.id,))
    if len(matches) > 1:
        raise _ambiguous("messages", [message.id for message in matches], name)
    return matches[0].id if matches else name


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return each id with its shortest unique prefix."""
    length = SHORTEST
    while len({name[:length] for name in ids}) < len(set(ids)):
        length += 1
    return {name: name[:length] for name in ids}


def _only(pending: Sequence[Prompt]) -> Prompt:
    if not pending:
        raise NotFound("no prompt is open", code=ErrorCode.NOTHING_PENDING)
    if len(pending) == 1:
        return pending[0]
    waiting = "\n".join(
        f"  {prompt.request_id}  {one_line(headline(prompt), 60)}" for prompt in pending
    )
    raise BadRequest(
        f"{len(pending)} prompts are open; name one of them:\n{waiting}",
        code=ErrorCode.SEVERAL_PENDING,
    )


def _ids(prompt: Prompt) -> tuple[str, ...]:
    call = prompt.form.tool_call_id
    return (prompt.request_id, call) if call else (prompt.request_id,)


def _matching(things: Iterable[T], name: str, ids: Callable[[T], tuple[str, ...]]) -> list[T]:
    things = list(things)
    exact = [thing for thing in things if name in ids(thing)]
    return exact or [
        thing for thing in things if name and any(whole.startswith(name) for whole in ids(thing))
    ]


def _ambiguous(what: str, ids: Sequence[str], name: str) -> BadRequest:
    return BadRequest(
        f"{name!r} matches several {what}: {', '.join(ids)}",
        code=ErrorCode.AMBIGUOUS_ID,
    )
