"""How long a screen must show something before it counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ScreenTimings:
    """The waits while screens are read, in seconds; a part of the runtime's timings."""

    partial_frame: float = 0.25  # a pane shows a half painted frame for no longer
    painting: float = 2.0  # on a slow line a frame comes in pieces, each of which changes the text
    prompt_leaves: float = 0.25  # a prompt must be missing this long: a half-painted frame lacks it
    unclear_leaves: float = 0.4  # the same, while the screen explains nothing else
    rest_comes: float = 5.0  # for the rest of a frame, while its CLI is at work: it lacks a core
    unknown_appears: float = 2.0  # an unexplained screen must stand still this long
    unknown_changes: float = 0.5  # the same, before its prompt gets the new screen
    resize_grace: float = 2.0  # for a prompt to be redrawn, above the remains of its old frame
    busy_again: float = 2.0  # a busy CLI that stands still may be idle without a sign: look again
    busy_within: float = 30.0  # for this long; adapters wait up to 20 s before they call it idle
    starts_within: float = 30.0  # a starting CLI is looked at again: it may hang at something
    body_comes: float = 0.3  # for a prompt that is cut to show the rest
    part_comes: float = 1.0  # for a body or a label that is missing; a busy machine takes long
    questions_come: float = 0.6  # for a transcript or CLI hook to report questions of other tabs
    questions_reported: float = 3.0  # the same, where the CLI always reports them, however late
    call_outlived: float = 1.0  # the prompt of a call that has ended stands no longer
    prompt_held: float = 1.5  # a prompt that never stands still is announced after this


SCREEN_TIMINGS = ScreenTimings()
