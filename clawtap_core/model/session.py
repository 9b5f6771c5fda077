"""Sessions: one running CLI each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum


class SessionState(str, Enum):
    """What a session does now. `lost`: its pane could not be found again."""

    STARTING = "starting"
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting"
    ENDED = "ended"
    LOST = "lost"

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self in (SessionState.ENDED, SessionState.LOST)


@dataclass(frozen=True, slots=True)
class SeenState:
    """What a screen tells of the CLI's state.

    `draft`: the text in the composer, "" when it is empty, None when no composer is shown.
    `streaming`: the answer being written, as far as it is visible; `thinking` likewise.
    """

    state: SessionState
    draft: str | None = None
    streaming: str = ""
    thinking: str = ""
    mode: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Previous:
    """The last state seen, and the seconds since the text last changed.

    Spinners and clocks do not count as text.
    """

    seen: SeenState
    still_for: float


@dataclass(frozen=True, slots=True)
class Session:
    """One running CLI, with an id of its own, bound to one adapter and one channel."""

    id: str
    adapter: str
    channel: str
    origin: str
    cwd: str
    title: str
    created_at: datetime
    last_activity: datetime
    state: SessionState = SessionState.STARTING
    mode: str | None = None
    model: str | None = None
    pane: str | None = None
    cli_session_id: str | None = None
    cli_version: str | None = None
    detail: str | None = None
    queued: int = 0
    pending: int = 0


MAX_ATTACHMENT_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that was given to a session: its id, name and size in bytes, and where it lies."""

    id: str
    name: str
    size: int
    path: str


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits for an idle, empty composer, with the files that go with it."""

    id: str
    session_id: str
    message: str
    queued_at: datetime
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class PaneInfo:
    """A pane that runs, and the adapter that knows its program, if any."""

    pane: str
    command: str
    cwd: str
    title: str
    tmux_session: str
    cols: int
    rows: int
    adapter: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What a user asked to start. Unset fields are the CLI's own defaults."""

    adapter: str
    cwd: str
    message: str | None = None
    model: str | None = None
    permission_mode: str | None = None
    effort: str | None = None
    channel: str = "terminal"
    resume: str | None = None
    args: tuple[str, ...] = ()
    cols: int = 120
    rows: int = 40


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start it: the program and its arguments, and additions to the environment.

    `cli_session_id` where the CLI lets its own id be chosen; `includes_message`: the first message
    goes in by `argv`, so that it must not be typed too.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cli_session_id: str | None = None
    includes_message: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a message: sent now, or queued (then `message_id` names it)."""

    status: str
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in which sessions ran, and when last."""

    path: str
    last_used: datetime
    adapters: tuple[str, ...] = field(default=())
