"""Every wait of the runtime, and the clock that measures it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


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
    """A clock in seconds and its scheduled calls; tests pass one that they move by hand."""

    now: Callable[[], float] = time.monotonic
    call_later: Callable[[float, Callable[[], None]], Scheduled] = call_later


@dataclass(frozen=True, kw_only=True)
class Timings:
    """The waits of the runtime, in seconds."""

    # Typing into a pane
    typing_turn: float = 15.0  # for whoever types now to come to an end
    closing_grace: float = 2.0  # the same, when the session is closed
    keys_take_effect: float = 0.4  # for the screen to change after keys of the key pad
    keys_count: float = 3.0  # a prompt that leaves within this time was answered by those keys
    turn_begins: float = 2.0  # for a CLI to show that it is at work on a message

    # Outcomes
    answer_leaves: float = 10.0  # for a prompt to leave after the deciding key
    message_leaves: float = 10.0  # for a message to leave the composer
    dialog_leaves: float = 3.0  # for a start-up dialog to leave: nobody sees it meanwhile

    # The queue of messages
    calm: float = 0.3  # a session must be idle for so long before a message is typed
    queue_turn: float = 1.0  # for another message that is being typed, before ours is queued
    queue_retry: float = 2.0  # before the first retry; the next wait is twice as long

    # Protocols
    protocol_opens: float = 120.0  # for a CLI to say that it is ready

    # Deadlines of prompts. A machine that slept, or was set right, counts time in another way:
    # no single wait is longer than this.
    expiry_longest: float = 30.0
    expiry_retry: float = 1.0


REAL_TIME = Scheduler()
DEFAULT_TIMINGS = Timings()
