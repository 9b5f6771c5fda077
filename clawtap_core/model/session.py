"""Sessions: one running CLI each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from uuid import uuid4

from clawtap_core.model.machine import Machine


class SessionState(str, Enum):
    """What a session is doing. `lost`: it ran until tmux, the machine or ClawTap stopped.

    `limited`: idle, and the provider accepts nothing before its usage limit ends.
    """

    STARTING = "starting"
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting"
    LIMITED = "limited"
    ENDED = "ended"
    LOST = "lost"

    @property
    def over(self) -> bool:
        """Whether the session has ended or is lost."""
        return self in (SessionState.ENDED, SessionState.LOST)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a screen shows of a message that a hook refused.

    `reason` is the hook's, and `message` all of the message, whatever its wrapping.
    """

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class SeenState:
    """What a screen shows of the CLI's state.

    `draft`: the text in the composer, "" when empty, None without a composer. `streaming`: the
    visible part of the answer being written; `thinking`: the same of its thoughts. `holds_back`:
    the composer stands in place of a prompt, which the CLI shows again once nobody types. `limit`:
    the CLI's message about a used-up limit, while nothing follows it. `overlaid`: a menu lies over
    what shows whether the CLI works; its state file knows better, where it has one. `refusal`: a
    hook of the user's refused the last message, and nothing follows that notice; a text that the
    CLI put back into its composer is the draft.
    """

    state: SessionState
    draft: str | None = None
    streaming: str = ""
    thinking: str = ""
    mode: str | None = None
    model: str | None = None
    holds_back: bool = False
    limit: str = ""
    overlaid: bool = False
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Previous:
    """The last state, and the seconds since the text last changed.

    Spinners and clocks do not count as text.
    """

    seen: SeenState
    still_for: float


@dataclass(frozen=True, slots=True)
class UsageLimit:
    """A usage limit that a session reached, in the CLI's words.

    `ends_at`: None if the CLI does not say. `resume`: the message that the user wants sent then.
    `continues`: the CLI may go on by itself a few minutes later.
    """

    text: str
    ends_at: datetime | None = None
    resume: str | None = None
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """One running CLI, with its own id, one adapter and one channel.

    `machine` is where it runs, if the server belongs to a fleet of several.
    """

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
    archived: bool = False
    limit: UsageLimit | None = None
    machine: Machine | None = None

    @property
    def has_own_title(self) -> bool:
        """Whether the title says more than the folder does."""
        return self.title not in ("", PurePath(self.cwd).name, self.cwd)


MAX_ATTACHMENT_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to a session: id, name, size in bytes, and path."""

    id: str
    name: str
    size: int
    path: str


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits for an idle, empty composer, with its files.

    `until`: it waits for its machine, which is away, and is not sent later than this.
    """

    id: str
    session_id: str
    message: str
    queued_at: datetime
    attachments: tuple[Attachment, ...] = ()
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class PaneInfo:
    """A running pane, and the adapter that knows its program, if any."""

    pane: str
    command: str
    cwd: str
    title: str
    tmux_session: str
    cols: int
    rows: int
    adapter: str | None = None
    session_id: str | None = None


# Flags by which a user chooses a session, and which take no value.
_WITHOUT_VALUE = ("--continue", "-c", "--last", "--all")
# The fewest and the most columns and rows of a pane that somebody may ask for.
PANE_COLS, PANE_ROWS = (20, 1000), (5, 500)


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What a user asked to start; unset fields are the CLI's defaults."""

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

    def session_flags(self, own: Collection[str]) -> tuple[tuple[str, ...], str | None]:
        """Return `--resume ID` or `--session-id ID`, and the id; nothing if the user chooses one.

        `own` are the flags by which the arguments may choose a session. A new id is chosen here, so
        that the transcript is known from the start.
        """
        if self.resume:
            return ("--resume", self.resume), self.resume
        if any(_flag(arg) in own for arg in self.args):
            return (), None
        new = str(uuid4())
        return ("--session-id", new), new

    def args_beside_resume(self, own: Collection[str]) -> tuple[str, ...]:
        """Return the arguments; those that choose a session, `own`, only if `resume` does not.

        A session that the user started with them is resumed by its id after a reboot.
        """
        if not self.resume:
            return self.args
        kept: list[str] = []
        takes_value = False
        for arg in self.args:
            chooses = _flag(arg) in own
            if not chooses and (not takes_value or arg.startswith("-")):
                kept.append(arg)
            takes_value = chooses and "=" not in arg and arg not in _WITHOUT_VALUE
        return tuple(kept)


def _flag(arg: str) -> str:
    return arg.partition("=")[0]


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a CLI: argv, and additions to the environment.

    `cli_session_id` if the CLI lets its id be chosen; `includes_message`: `argv` carries the first
    message, so it must not be typed too.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cli_session_id: str | None = None
    includes_message: bool = False


class RestoreOutcome(str, Enum):
    """Whether a lost session can be restored, or was."""

    POSSIBLE = "possible"
    RESTORED = "restored"
    STARTING = "starting"
    WITHOUT_CONVERSATION = "without_conversation"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class Restoration:
    """The outcome of restoring a lost session; `reason` says what prevents or limits it."""

    session: Session
    outcome: RestoreOutcome
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """The outcome of a message: sent, or queued as `message_id`.

    `until`: it waits for its machine, which is away, and is not sent later than this. `detail`:
    what it waits for while its session is idle.
    """

    status: str
    message_id: str | None = None
    until: datetime | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in which sessions ran, and when it was last used."""

    path: str
    last_used: datetime
    adapters: tuple[str, ...] = field(default=())
