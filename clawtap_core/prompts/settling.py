"""Hold a new prompt back until its deciding parts stand still: a pure machine.

A CLI may paint a prompt in parts: its frame before its body, the first half of a label, other rows
of a long text. Nobody should approve a prompt that was not complete.
"""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import Kind, Option, PromptForm, QuestionOption
from clawtap_core.prompts.screen_timings import SCREEN_TIMINGS, ScreenTimings


class PromptSettling:
    """One session's unannounced prompt. Times are seconds of one clock.

    `reports_questions`: the transcript always has the questions that other tabs ask.
    """

    def __init__(
        self, timings: ScreenTimings = SCREEN_TIMINGS, *, reports_questions: bool = False
    ) -> None:
        self._timings = timings
        self._reports_questions = reports_questions
        self._began: float | None = None
        self._held_until = 0.0
        self._still_since = 0.0
        self._last: PromptForm | None = None

    @property
    def pending(self) -> bool:
        """Whether a prompt waits to be announced."""
        return self._began is not None

    def begin(self, now: float, *, again: bool = False) -> None:
        """Start with a newly seen prompt; `again`: it reads as the one before it.

        A CLI may paint it a frame before the row of its call, which then stands above it as if it
        had been answered.
        """
        self._began, self._last = now, None
        self._held_until = now + (self._timings.partial_frame if again else 0.0)

    def clear(self) -> None:
        """Stop: the prompt was announced, or has left."""
        self._began = self._last = None

    def remaining(
        self, seen: PromptForm, merged: PromptForm, now: float, *, whole: bool = True
    ) -> float:
        """Return how many more seconds to hold the prompt back.

        `seen` is the screen's prompt, `merged` the same with the reported tool call. Unless it is
        `whole`, the screen shows a half painted frame in its place.
        """
        if self._began is None or seen.kind is Kind.UNKNOWN:
            return 0.0
        deciding = replace(seen, top=None, selected=None)
        if deciding != self._last or not whole:
            self._last, self._still_since = deciding, now
        patience = self._patience(seen, merged)
        still_at = max(self._still_since + patience, self._held_until)
        held = max(self._timings.prompt_held, patience)
        return max(min(still_at, self._began + held) - now, 0.0)

    def _patience(self, seen: PromptForm, merged: PromptForm) -> float:
        if seen.position and 1 <= len(merged.questions) < seen.position.total:
            # Without the others an answer is incomplete, and refused.
            if self._reports_questions:
                return self._timings.questions_reported
            return self._timings.questions_come
        inputs = (merged.tool_input or {}).values()
        bodies = (merged.description.strip(), any(inputs), merged.questions)
        asks_blindly = merged.tool_name or (seen.kind is Kind.PERMISSION and not seen.dialog)
        labelled = all(option.label.strip() for option in _offered(seen))
        if seen.provisional or not labelled or (asks_blindly and not any(bodies)):
            return self._timings.part_comes
        # A plan is painted before it is measured: what looks whole may be cut in the next frame.
        may_be_cut = seen.truncated or seen.kind is Kind.PLAN
        # Frames that were caught half written are held back where the pane's output is read.
        return self._timings.body_comes if may_be_cut else 0.0


def _offered(form: PromptForm) -> tuple[Option | QuestionOption, ...]:
    return (*form.options, *(option for each in form.questions for option in each.options))
