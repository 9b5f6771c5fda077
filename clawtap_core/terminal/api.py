"""What the rest of ClawTap knows of terminals: the seam between tmux and the agent side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from clawtap_core.model import Screen


@dataclass(frozen=True, slots=True)
class PaneFacts:
    """A pane as tmux lists it. Sizes in cells; `owner`: the id of the session that claimed it.

    `argv` is what runs in the foreground, where the system tells: CLIs that are scripts show
    only their interpreter in `command`.
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


class PaneListener(Protocol):
    """Who watches a pane. Calls come one after another, in a thread of the pane's own."""

    def screen_changed(self, screen: Screen) -> None:
        """The pane shows something new."""

    def gone(self, reason: str, last: Screen | None) -> None:
        """The pane closed, or its CLI exited; nothing comes after this."""


class Pane(Protocol):
    """A watched pane."""

    @property
    def id(self) -> str:
        """tmux's id, like "%12"."""

    @property
    def group(self) -> int:
        """The process group of the CLI; its first process has the same number."""

    def look(self) -> Screen:
        """A fresh capture; its revision grows only when something changed."""

    def wait(self, revision: int, seconds: float) -> Screen:
        """The first screen later than `revision`, or after `seconds` the one there is."""

    def runs_cli(self) -> bool:
        """Whether the CLI that was bound is in the pane's foreground, not a shell."""

    def press(self, key: str) -> None:
        """Press a key by its tmux name, in the program: copy mode is left first."""

    def type(self, text: str) -> None:
        """Type one line of text, as literal bytes."""

    def paste(self, text: str) -> None:
        """Paste text, bracketed where the program asked for it."""

    def close(self) -> None:
        """Stop watching; the pane stays."""


class Terminal(Protocol):
    """The panes of one tmux server."""

    def server(self) -> str:
        """The process id of the tmux server; "" when none runs."""

    def panes(self) -> Sequence[PaneFacts]:
        """Every pane but ClawTap's own helpers."""

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
        """Start a program in a tmux session of its own; the pane stays when it ends."""

    def claim(self, pane_id: str, owner: str | None) -> None:
        """Mark a pane as a session's, so that it is found again after a restart; None frees it."""

    def watch(self, pane_id: str, listener: PaneListener) -> Pane:
        """Watch a pane; its first screen is reported at once. NotFound when it is gone."""

    def kill(self, pane_id: str) -> None:
        """End a pane and what runs in it."""

    def close(self) -> None:
        """Let go of everything; no pane ends by it."""
