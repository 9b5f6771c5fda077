"""A session as a row of the list."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath

from clawtap_core.model import MachineState, Session, SessionState
from clawtap_core.model.moments import wire_time
from webui.markup.sanitizer import visible

_STATES = {
    SessionState.WAITING: (0, "Waiting"),
    SessionState.STARTING: (1, "Starting"),
    SessionState.BUSY: (1, "Working"),
    SessionState.IDLE: (2, "Idle"),
    SessionState.LIMITED: (2, "Limit reached"),
    SessionState.LOST: (3, "Lost"),
    SessionState.ENDED: (4, "Ended"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """All that a session's templates need. A lower `rank` wants attention more."""

    id: str
    adapter: str
    channel: str
    title: str
    folder: str
    cwd: str
    state: str
    word: str
    rank: int
    mode: str
    model: str
    origin: str
    pane: str
    version: str
    detail: str
    pending: int
    queued: int
    activity: str
    last_line: str = ""
    archived: bool = False
    has_conversation: bool = False
    limited: bool = False
    limit_ends: str = ""
    resume: str = ""
    machine: str = ""
    elsewhere: bool = False
    away: bool = False

    @property
    def over(self) -> bool:
        """Whether the session has ended or was lost."""
        return SessionState(self.state).over

    @property
    def program(self) -> bool:
        """Whether another program asks: it has no screen and takes no messages."""
        return self.channel == "external"


def row(session: Session, title: str = "", last_line: str = "") -> Row:
    """Return the row of a session; its own title replaces a missing one."""
    limit = session.limit if session.state is SessionState.LIMITED else None
    return Row(
        id=session.id,
        adapter=session.adapter,
        channel=session.channel,
        title=title or visible(session.title or PurePath(session.cwd).name or "Session"),
        folder=short_path(session.cwd),
        cwd=session.cwd,
        state=session.state.value,
        word=_STATES[session.state][1],
        rank=rank(session),
        mode=session.mode or "",
        model=session.model or "",
        origin=session.origin,
        pane=session.pane or "",
        version=session.cli_version or "",
        detail=session.detail or "",
        pending=session.pending,
        queued=session.queued,
        activity=wire_time(session.last_activity),
        last_line=last_line,
        archived=session.archived,
        has_conversation=bool(session.cli_session_id),
        limited=limit is not None,
        limit_ends=wire_time(limit.ends_at) if limit and limit.ends_at else "",
        resume=(limit and limit.resume) or "",
        machine=machine_name(session),
        elsewhere=session.machine is not None and not session.machine.here,
        away=session.state is SessionState.LOST
        and session.machine is not None
        and session.machine.state is MachineState.AWAY,
    )


def by_attention(sessions: Iterable[Session]) -> list[Session]:
    """Sort sessions: those that need attention first, then the newest activity."""
    newest = sorted(sessions, key=lambda session: session.last_activity, reverse=True)
    return sorted(newest, key=rank)


def rank(session: Session) -> int:
    """Return how soon a session needs attention; the lowest rank wants it most."""
    return 0 if session.pending else _STATES[session.state][0]


def machine_name(session: Session) -> str:
    """Return the name of the session's machine; "" outside of a fleet."""
    return visible(session.machine.name) if session.machine else ""


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is in a folder; both are read as text."""
    return PurePath(posixpath.normpath(path)).is_relative_to(folder)


def file_label(path: str, folder: str) -> tuple[str, str]:
    """Return a file's name, and where it is, as seen from the folder if it is in there."""
    shown = PurePath(path)
    if folder and path.startswith("/") and is_inside(path, folder):
        shown = shown.relative_to(folder)
    parent = str(shown.parent)
    return shown.name or path, "" if parent == "." else parent


@lru_cache(maxsize=256)
def short_path(path: str) -> str:
    """Return the last two parts of a path, enough to know a folder by."""
    parts = PurePath(path).parts
    return str(PurePath(*parts[-2:])) if len(parts) > 3 else path
