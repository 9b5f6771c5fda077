"""The interface between tmux and the runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from clawtap_core.model import Screen


@dataclass(frozen=True, slots=True)
class PaneFacts:
    """A pane as tmux lists it. Sizes in cells; `owner`: the id of the session that claimed it.

    `argv` is the foreground program, where known: CLIs that are scripts show only their
    interpreter in `command`.
    """

    id: str
    tmux_session: str
    command: str
    cwd: str
    title: str
    pid: int
    tty: str
    cols: int
    rows: int
    dead: bool = False
    exit_status: int | None = None
    owner: str | None = None
    argv: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeskKeys:
    """The keys that others sent to a pane: equal values say that none came in between.

    `count`: those that came through tmux commands. `typed_at`: when an attached terminal may have
    typed here last, in seconds since 1970, and `session_typed_at` when it typed anywhere in the
    session. `in_front`: its keys go to this pane.
    """

    count: int = 0
    typed_at: int = 0
    session_typed_at: int = 0
    in_front: bool = True


class EndCause(str, Enum):
    """Why a pane is no longer watched."""

    EXITED = "ended"
    CLOSED = "closed"
    RESPAWNED = "its pane was respawned"
    TMUX_ENDED = "tmux ended"


@dataclass(frozen=True, slots=True)
class PaneEnd:
    """How a pane or its program ended; `signal` is its number, or its name where tmux says that."""

    cause: EndCause = EndCause.EXITED
    status: int | None = None
    signal: str = ""

    @property
    def reason(self) -> str:
        """Return it in words."""
        if self.signal:
            return f"ended by signal {self.signal}"
        return self.cause.value if self.status is None else f"ended with status {self.status}"

    @property
    def reported(self) -> bool:
        """Whether tmux reported the program's exit."""
        return self.status is not None or bool(self.signal)

    @property
    def killed(self) -> bool:
        """Whether the program was killed."""
        return bool(self.signal) or self.cause is EndCause.TMUX_ENDED

    @property
    def lost(self) -> bool:
        """Whether tmux or the whole machine stopped, and ended the program with it."""
        # A program may itself turn SIGHUP or SIGTERM into an exit.
        by_signal = self.signal.upper() in ("1", "15", "HUP", "TERM")
        return by_signal or self.status in (129, 143) or self.cause is EndCause.TMUX_ENDED


class PaneListener(Protocol):
    """A pane's watcher, called in sequence in a thread of the pane."""

    def screen_changed(self, screen: Screen) -> None:
        """Handle a new screen."""

    def gone(self, end: PaneEnd, last: Screen | None) -> None:
        """Handle the end of the pane or its CLI, always the last call."""


class Pane(Protocol):
    """A watched pane."""

    @property
    def id(self) -> str:
        """tmux's id, like "%12"."""

    @property
    def group(self) -> int:
        """The process group of the CLI, which is also its first process."""

    def look(self) -> Screen:
        """Return a fresh capture; its revision grows only on a change."""

    def wait(self, revision: int, seconds: float) -> Screen:
        """Return the first screen after `revision`, or the current one after `seconds`."""

    def runs_cli(self) -> bool:
        """Return True if the bound CLI is in the foreground."""

    @property
    def shows_terminal(self) -> bool:
        """Whether its program shows another terminal, as ssh does: no process tells of the CLI."""

    @property
    def ended_clis(self) -> int:
        """How many CLIs have ended here whose wrapper, as a script with a loop, lives on."""

    def shows_cli(self) -> None:
        """Note that the screen is the CLI's own: no other program has its terminal."""

    def is_lent(self) -> bool:
        """Return True if the CLI runs another program on its terminal, such as an editor."""

    def takes_keys(self) -> bool:
        """Return True if its program receives each key, not whole lines."""

    def resume(self) -> None:
        """Let a CLI run on that suspended itself."""

    @property
    def desk_keys(self) -> DeskKeys:
        """The keys of others, as of the last capture."""

    @property
    def desk_typed_at(self) -> float:
        """When others typed last, in seconds since 1970, as of the last capture; 0 if never."""

    def desk_settles_in(self) -> float:
        """Return after how many seconds the keys of others show; 0 if they do."""

    def desk_unread(self) -> bool:
        """Return True if the CLI has not read what others typed."""

    def cli_at_work(self) -> bool:
        """Return True if the CLI runs or waits for a core just now; its screen may be late."""

    def press(self, key: str) -> None:
        """Press a key by its tmux name, leaving copy mode first."""

    def press_alone(self, key: str, since: DeskKeys, shows: str, *, shut: bool = True) -> bool:
        """Press a key unless others did `since`, or the pane shows a text no more.

        Nor is it pressed while the CLI has not read what others typed. Return False if it was not
        pressed. For a moment after it the keys of others are dropped, with `shut`.
        """

    def open_again(self) -> None:
        """Let the keys of others in, which `press_alone` shut out."""

    def type(self, text: str) -> None:
        """Type one line of text, as literal bytes."""

    def paste(self, text: str) -> None:
        """Paste text, bracketed if the program asked for it."""

    def close(self) -> None:
        """Stop watching; the pane stays."""


class Terminal(Protocol):
    """The panes of one tmux server."""

    def server(self) -> str:
        """Return the process id of the tmux server, or "" if none runs."""

    def panes(self) -> Sequence[PaneFacts]:
        """Return every pane except ClawTap's helpers."""

    def launch(
        self,
        argv: Sequence[str],
        *,
        owner: str,
        name: str,
        cwd: str,
        env: Mapping[str, str],
        cols: int,
        rows: int,
    ) -> PaneFacts:
        """Start a program in a new tmux session; the pane stays when it ends."""

    def claim(self, pane_id: str, owner: str | None) -> None:
        """Mark a pane as a session's, to find it after a restart; None frees it."""

    def watch(self, pane_id: str, listener: PaneListener) -> Pane:
        """Watch a pane, reporting its first screen at once; raise NotFound if it is gone."""

    def kill(self, pane_id: str) -> None:
        """End a pane and its programs."""

    def close(self) -> None:
        """Release everything without ending a pane."""
