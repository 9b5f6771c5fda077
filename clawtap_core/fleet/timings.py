"""Every wait of a fleet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class FleetTimings:
    """The waits of a process that takes part in a fleet, in seconds."""

    # Presence
    renewal: float = 3.0  # between two renewals of our presence, and two readings of the members
    away: float = 10.0  # without a renewal; then a machine is away

    # Redis
    command: float = 2.0  # for a command; after it, Redis counts as out of reach
    new_entries: float = 1.0  # for something new in a stream, until its reader looks around
    connection: float = 0.1  # between two looks whether Redis can be used again
    local_events: float = 1.0  # for a local event, until its publisher looks around

    # Calls
    call_begins: float = 10.0  # for a call to begin; after it, it is not carried out
    message_begins: float = 3.0  # the same for a message, which then waits for its machine
    call_ends: float = 60.0  # for the reply to a call, which may type for so long
    record_begins: float = 3.0  # for a call to begin that only changes what its machine stores
    record_ends: float = 5.0  # for the reply to such a call
    read_ends: float = 3.0  # for the reply to a call that only reads: a page waits for it

    # What sessions show
    new_watchers: float = 0.5  # between two looks for somebody elsewhere who watches a session
    new_watched: float = 0.1  # before a session is read that somebody here begins to watch


FLEET_TIMINGS = FleetTimings()
