"""A list to choose from, as it is read from a screen, and a CLI that obeys its keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from clawtap_core import Kind, Paste, Press, PromptForm, Question, QuestionOption, Steps, Type
from clawtap_core.screens import Field, OptionRow, ParsedPrompt


def sent(steps: Steps | None) -> list[str]:
    """What reaches the CLI: keys and texts, without pauses."""
    assert steps is not None
    given = (step for step in steps.steps if isinstance(step, Press | Type | Paste))
    return [step.key if isinstance(step, Press) else step.text for step in given]


@dataclass
class Listed:
    """A question with rows, a text field, and Done below them; keys work on it as in a CLI.

    `counted`: the text that it answers with. With `boxed` that is the text as it was when its own
    box was ticked, by Enter or by the text that came.
    """

    labels: tuple[str, ...] = ("one", "two", "three")
    several: bool = False
    free: bool = False
    digits: bool = False
    window: int = 99
    cursor: int = 0
    ticked: set[str] = field(default_factory=set)
    text: str = ""
    boxed: bool = False
    text_ticked: bool = False
    counted: str = ""
    got: list[str] = field(default_factory=list)
    decided: str | None = None

    @property
    def reading(self) -> ParsedPrompt:
        """What its screen shows now."""
        rows = [self._row(at, label) for at, label in enumerate(self.labels)]
        text = Field(*self._field()) if self.free else None
        next_row = None
        if self.several:
            at = len(self.labels) + self.free
            next_row = OptionRow(None, "Done", self.cursor == at, first=at)
        top = min(max(0, self.cursor - self.window + 1), max(0, len(rows) - self.window))
        seen = tuple(rows[top : top + self.window])
        options = tuple(QuestionOption(row.label) for row in seen)
        question = Question("Which?", options=options, multi_select=self.several)
        form = PromptForm(
            Kind.QUESTION, "Which?", questions=(question,), more_options=len(seen) < len(rows)
        )
        keys = tuple((row.label, str(row.number)) for row in seen) if self.digits else ()
        return ParsedPrompt(form, seen, keys, text, next_row)

    def take(self, steps: Steps | None) -> None:
        """Do what the keys say."""
        for key in sent(steps):
            self.got.append(key)
            self._take(key)

    def run(self, following: Callable[[ParsedPrompt, Any], Steps | None], rounds: int = 40) -> bool:
        """Round after round until it is done; whether it was."""
        progress = None
        for _ in range(rounds):
            steps = following(self.reading, progress)
            if steps is None:
                return False
            self.take(steps)
            progress = steps.progress
            if steps.done:
                return True
        return False

    def _row(self, at: int, label: str) -> OptionRow:
        checked = label in self.ticked if self.several else None
        return OptionRow(at + 1, label, self.cursor == at, checked, first=at)

    def _field(self) -> tuple[bool, str, OptionRow]:
        at = len(self.labels)
        here = self.cursor == at
        box = self.text_ticked if self.boxed else None
        return here, self.text, OptionRow(at + 1, self.text or "Other", here, box, first=at)

    def _take(self, key: str) -> None:
        last = len(self.labels) + self.free + self.several
        into_text = self.free and self.cursor == len(self.labels)
        if key in ("Down", "Up"):
            self.cursor = (self.cursor + (1 if key == "Down" else -1)) % last
        elif key == "Enter" and into_text and self.boxed:
            self.text_ticked = not self.text_ticked
            self.counted = self.text if self.text_ticked else ""
        elif key == "Enter":
            self.decided = "Done" if self.cursor >= len(self.labels) else self.labels[self.cursor]
        elif key == "BSpace":
            self.text = self.text[:-1]
        elif key == "Space":
            self.ticked ^= {self.labels[self.cursor]}
        elif into_text and key != "End":
            self.counted, self.text_ticked = self.text, True
            self.text += key
        elif self.digits and key.isdigit():
            label = self.labels[int(key) - 1]
            if self.several:
                # Next to the boxes digits do nothing, as in Claude Code.
                self.ticked ^= {label} if self.cursor < len(self.labels) else set()
            else:
                self.decided = label
