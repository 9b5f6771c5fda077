"""How long tmux and the programs in its panes may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TerminalTimings:
    """The waits of a terminal, in seconds."""

    key_shows: float = 2.0  # for a CLI to show what a key of others did; the first takes over 1 s
    work_shows: float = 0.5  # the same, since the CLI was last seen at work on it
    others_shut_out: float = 0.5  # how long others' keys are dropped at most after ours
    look_shut: float = 0.05  # between two looks at a pane that refuses keys
    frame_ends: float = 0.1  # for the rest of a frame; a program writes it at once, if it can
    unreported_output: float = 0.25  # between two looks at a pane of a tmux that reports no output
    exit_status: float = 1.0  # for tmux to notice the status of a program that ended


TERMINAL_TIMINGS = TerminalTimings()
