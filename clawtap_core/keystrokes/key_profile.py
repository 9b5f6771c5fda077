"""How one CLI takes keys: its timings, and what only some do. Each adapter has one such value."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model import Pause, Press, Step, Steps


@dataclass(frozen=True)
class KeyProfile:
    """What is particular about the keys of a CLI.

    `settled`: seconds before a key that decides, and before the first key of an answer, where
    what was just painted does not take keys yet. `after_text`: seconds after text, where a fast
    Enter is taken for a newline. `ticks` ticks the row with the cursor. `lines`: a text field
    takes several lines. `field_sends`: Enter in the text field of a list sends all answers.
    `scrolls`: rows that are out of sight come into view with the cursor.
    """

    settled: float = 0.0
    after_text: float = 0.0
    ticks: str = "Space"
    lines: bool = False
    field_sends: bool = False
    scrolls: bool = True

    def decide(self, key: str = "Enter") -> Steps:
        """The key that the CLI acts on."""
        return Steps((*pause(self.settled), Press(key, deciding=True)), done=True)


def pause(seconds: float) -> tuple[Step, ...]:
    """A pause as steps; none where no time passes."""
    return (Pause(seconds),) if seconds else ()
