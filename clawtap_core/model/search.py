"""What a search found in sessions and conversations."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from clawtap_core.model.machine import Machine, MachineStatus

# The most sessions that one search returns in addition to its messages.
MOST_FOUND_SESSIONS = 20


@dataclass(frozen=True, slots=True)
class SnippetPart:
    """A part of a message's text; `match` if it matches the search."""

    text: str
    match: bool = False


@dataclass(frozen=True, slots=True)
class MessageMatch:
    """A message that was found, and its conversation.

    `session_id` is the session that has this conversation, if there is one, `place` the cursor of
    what follows this message on its machine.
    """

    adapter: str
    cli_session_id: str
    message_id: str
    role: str
    at: datetime
    title: str = ""
    cwd: str | None = None
    session_id: str | None = None
    snippet: tuple[SnippetPart, ...] = field(default=())
    place: str = "0"
    machine: Machine | None = None


@dataclass(frozen=True, slots=True)
class SessionMatch:
    """A session or stored conversation whose title, folder or CLI was found."""

    adapter: str
    title: str
    last_activity: datetime
    cwd: str | None = None
    session_id: str | None = None
    cli_session_id: str | None = None
    archived: bool = False
    machine: Machine | None = None


@dataclass(frozen=True, slots=True)
class SearchPage:
    """Sessions, on the first page only, and messages, newest first.

    `cursor` asks for the next page. `complete` is False while stored conversations are still read.
    `missing`: machines whose part is not among them; `detail` says why.
    """

    sessions: tuple[SessionMatch, ...] = ()
    messages: tuple[MessageMatch, ...] = ()
    cursor: str | None = None
    complete: bool = True
    missing: tuple[MachineStatus, ...] = ()
