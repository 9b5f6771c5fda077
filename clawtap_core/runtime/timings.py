"""Every wait of the runtime, and the clock that measures it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from clawtap_core.prompts.screen_timings import SCREEN_TIMINGS, ScreenTimings


class Scheduled(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel the call, unless it has begun."""


def call_later(seconds: float, callback: Callable[[], None]) -> Scheduled:
    """Call back after this many seconds, in a thread of its own."""
    timer = threading.Timer(seconds, callback)
    timer.daemon = True
    timer.start()
    return timer


@dataclass(frozen=True)
class Scheduler:
    """A clock in seconds, its scheduled calls and waits; tests pass one that they move by hand."""

    now: Callable[[], float] = time.monotonic
    call_later: Callable[[float, Callable[[], None]], Scheduled] = call_later
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, kw_only=True)
class Timings:
    """The waits of the runtime, in seconds."""

    screens: ScreenTimings = SCREEN_TIMINGS

    # Typing into a pane
    typing_turn: float = 15.0  # for the one who types now to finish
    closing_grace: float = 2.0  # the same, when the session is closed
    keys_take_effect: float = 0.4  # for the screen to change after keys of the key pad
    keys_count: float = 3.0  # a prompt that leaves within this time was answered by those keys
    turn_begins: float = 2.0  # for a CLI to show that it is at work on a message
    delivery: float = 45.0  # for all keys of one answer, message or action
    keys_show: float = 1.0  # for the screen to change after keys
    repaint: float = 1.0  # for a screen that was caught half painted
    screen_unread: float = 1.0  # before a screen that tmux did not give is read again
    pause: float = 2.0  # the longest that an adapter may pause between keys
    desk_quiet: float = 6.0  # for somebody else to stop typing, before a deciding key
    look_at_desk: float = 0.2  # between two looks whether the CLI has read what they typed
    moving: float = 10.0  # for a screen that somebody else moves to fit the keys again
    look_moving: float = 0.03  # between two looks at such a screen
    shell_returns: float = 0.4  # for the shell of a suspended CLI to come to the foreground
    suspended: float = 5.0  # for a suspended CLI without a shell to continue
    draft_covered: float = 0.8  # for a prompt that came over a draft of the desk to take keys
    look_away: float = 0.2  # between two looks at a screen that is not the CLI's
    left_behind: float = 2.0  # for a CLI to paint over what one before it has left in its pane
    look_overlaid: float = 1.0  # between two looks at what the CLI does below a menu
    look_again: float = 0.003  # the shortest time between two looks at a screen

    # Outcomes
    answer_leaves: float = 10.0  # for a prompt to leave after the deciding key
    screen_late: float = 6.0  # for the screen of a CLI at work to show what was reported already
    message_leaves: float = 10.0  # for a message to leave the composer
    dialog_leaves: float = 3.0  # for a start-up dialog to leave: nobody sees it meanwhile
    prompt_away: float = 0.1  # after this absence a prompt or text counts as taken
    prompt_repainted: float = 2.0  # a cut prompt may show other rows for this time after its answer
    call_ends: float = 2.5  # for a call to show whose answer it took; it may run for longer
    call_followed: float = 0.6  # the same, while the next prompt waits already
    call_refused: float = 0.3  # a session that is idle for this time has taken a refusal
    daemon_joins: float = 1.0  # for a shared daemon to report the prompt on a screen
    daemon_reports: float = 0.7  # the same, once it is joined: it takes 0.1 s, or never reports it
    hook_check: float = 0.1  # between checks whether a CLI still waits for its hook

    # Beginning, ending and restoring
    pane_attached: float = 5.0  # for a session that starts to have its pane
    exit_noticed: float = 1.0  # for the end of a CLI that left its pane to be noticed
    cli_exits: float = 2.0  # for a CLI to exit whose terminal has gone
    protocol_restores: float = 15.0  # for CLIs to say whether they have their conversations

    # The queue of messages
    calm: float = 0.3  # a session must be idle for this time before a message is typed
    command_shows: float = 2.0  # for a command that we sent to open its list or dialog
    command_work_shows: float = 0.5  # the same, since the CLI was last seen at work on it
    command_settles: float = 10.0  # the same, at most
    queue_turn: float = 1.0  # for another message that is being typed, before ours is queued
    queue_retry: float = 2.0  # before the first retry; the next wait is twice as long

    # Usage limits
    limit_grace: float = 30.0  # after a limit's end, for clocks that differ
    limit_continues: float = 300.0  # the same, for a CLI that may continue by itself
    limit_retry: float = 30.0  # and the grace, before a refused message is sent again

    # Protocols
    protocol_opens: float = 120.0  # for a CLI to say that it is ready
    protocol_accepts: float = 10.0  # for a CLI to accept what it was sent

    # Transcripts
    transcript_check: float = 2.0  # between checks of a file, for changes that nobody reported
    transcript_check_idle: float = 10.0  # the same, while its session is idle
    transcript_unfinished: float = 0.05  # before a half-written file is read again
    transcript_search: float = 0.5  # between searches for the transcript of an active session
    transcript_search_for: float = 10.0  # how long a session counts as active after an event
    transcript_search_idle: float = 30.0  # between searches for that of an idle session
    transcript_alone: float = 5.0  # before one without rivals is taken, though no screen shows it
    switch_search: float = 10.0  # how long after an event another conversation is looked for
    file_clock_slack: float = 2.0  # the largest difference between the clock of a file and ours

    # The search index
    search_scan: float = 30.0  # between searches for stored conversations that changed
    search_settle: float = 1.0  # before a growing conversation is read again
    search_rest: float = 4.0  # the rest after each piece of work, in times its duration

    # Deadlines of prompts. A machine that slept, or was set right, counts time in another way:
    # no single wait is longer than this.
    expiry_longest: float = 30.0
    expiry_retry: float = 1.0


REAL_TIME = Scheduler()
DEFAULT_TIMINGS = Timings()
