"""Holding a new prompt back until what decides about it has stood still, as a pure machine.

A CLI may paint a prompt in several goes: its frame before its body, the first half of a label,
other rows of a long text. Nobody should approve what was not all there.
"""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import Kind, PromptForm

TORN_FRAME = 0.003
"""One write of a CLI may arrive in pieces, but the next piece comes within this time."""
MORE_TO_COME = 0.3
"""A prompt that lacks its body, or shows a part of it, gets this long to show more."""
FORM_TO_COME = 0.6
"""The questions of the other tabs are in the transcript or a CLI hook, a moment later."""
LONGEST = 1.5


class PromptSettling:
    """One session's prompt that nobody was told of yet. Times are seconds of one clock."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._still_since = 0.0
        self._last: PromptForm | None = None

    @property
    def pending(self) -> bool:
        """Whether a prompt waits to be told."""
        return self._began is not None

    def begin(self, now: float) -> None:
        """A prompt was seen for the first time."""
        self._began, self._last = now, None

    def clear(self) -> None:
        """The prompt was told, or left."""
        self._began = self._last = None

    def remaining(self, seen: PromptForm, known: PromptForm, now: float) -> float:
        """Return for how many seconds the prompt should still be held back.

        `seen` is what the screen shows, `known` the same with what else tells of its call.
        """
        if self._began is None or seen.kind is Kind.UNKNOWN:
            return 0.0
        deciding = replace(seen, top=None, selected=None)
        if deciding != self._last:
            self._last, self._still_since = deciding, now
        still_at = self._still_since + _patience(seen, known)
        return max(min(still_at, self._began + LONGEST) - now, 0.0)


def _patience(seen: PromptForm, known: PromptForm) -> float:
    if seen.position and 1 <= len(known.questions) < seen.position.total:
        return FORM_TO_COME
    bodies = (known.description, known.tool_input, known.questions)
    if seen.truncated or (known.tool_name and not any(bodies)):
        return MORE_TO_COME
    return TORN_FRAME
