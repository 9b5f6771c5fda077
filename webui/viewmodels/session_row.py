"""A session of the wire as a row: in which words, and where in the list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from webui.markup.sanitizer import visible

_STATES = {
    "waiting": (0, "Waiting"),
    "starting": (1, "Starting"),
    "busy": (1, "Working"),
    "idle": (2, "Idle"),
    "lost": (3, "Lost"),
    "ended": (4, "Ended"),
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

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ("ended", "lost")

    @property
    def program(self) -> bool:
        """Whether it is another program that asks: without a screen, and not to be talked to."""
        return self.channel == "external"


def row(session: Mapping[str, Any]) -> Row:
    """The row of a session as the wire has it."""
    pending = int(session.get("pending") or 0)
    state = str(session.get("state") or "lost")
    rank, word = _STATES.get(state, (3, state))
    cwd = str(session.get("cwd") or "")
    return Row(
        id=str(session["id"]),
        adapter=str(session.get("adapter") or ""),
        channel=str(session.get("channel") or ""),
        title=visible(str(session.get("title") or PurePath(cwd).name or "Session")),
        folder=short(cwd),
        cwd=cwd,
        state=state,
        word=word,
        rank=0 if pending else rank,
        mode=str(session.get("mode") or ""),
        model=str(session.get("model") or ""),
        origin=str(session.get("origin") or ""),
        pane=str(session.get("pane") or ""),
        version=str(session.get("cliVersion") or ""),
        detail=str(session.get("detail") or ""),
        pending=pending,
        queued=int(session.get("queued") or 0),
        activity=str(session.get("lastActivity") or ""),
    )


def rows(sessions: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Rows, attention first, then the newest activity."""
    newest = sorted(map(row, sessions), key=lambda one: one.activity, reverse=True)
    return sorted(newest, key=lambda one: one.rank)


def short(path: str) -> str:
    """The last two parts of a path: enough to know a folder by."""
    parts = PurePath(path).parts
    return str(PurePath(*parts[-2:])) if len(parts) > 3 else path
