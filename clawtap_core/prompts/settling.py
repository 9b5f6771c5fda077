"""Hold a new prompt back until its deciding parts stand still: a pure machine.

A CLI may paint a prompt in several goes: its frame before its body, the first half of a label,
other rows of a long text. Nobody should approve a prompt that was not complete.
"""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import Kind, PromptForm

MORE_TO_COME = 0.3
"""How long an incomplete prompt gets to show the rest of its body."""
FORM_TO_COME = 0.6
"""How long a transcript or a CLI hook may take to report the questions of other tabs."""
LONGEST = 1.5


class PromptSettling:
    """One session's unannounced prompt. Times are seconds of one clock."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._still_since = 0.0
        self._last: PromptForm | None = None

    @property
    def pending(self) -> bool:
        """Whether a prompt waits to be announced."""
        return self._began is not None

    def begin(self, now: float) -> None:
        """Start with a newly seen prompt."""
        self._began, self._last = now, None

    def clear(self) -> None:
        """Stop: the prompt was announced, or has left."""
        self._began = self._last = None

    def remaining(self, seen: PromptForm, merged: PromptForm, now: float) -> float:
        """Return how many more seconds to hold the prompt back.

        `seen` is the screen's prompt, `merged` the same with the reported tool call.
        """
        if self._began is None or seen.kind is Kind.UNKNOWN:
            return 0.0
        deciding = replace(seen, top=None, selected=None)
        if deciding != self._last:
            self._last, self._still_since = deciding, now
        still_at = self._still_since + _patience(seen, merged)
        return max(min(still_at, self._began + LONGEST) - now, 0.0)


def _patience(seen: PromptForm, merged: PromptForm) -> float:
    if seen.position and 1 <= len(merged.questions) < seen.position.total:
        return FORM_TO_COME
    bodies = (merged.description, merged.tool_input, merged.questions)
    if seen.truncated or (merged.tool_name and not any(bodies)):
        return MORE_TO_COME
    # Waiting for a torn frame as well would treble the time until any prompt is seen.
    return 0.0
