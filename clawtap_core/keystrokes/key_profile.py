"""How one CLI takes keys: its timings and peculiarities."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model import Pause, Press, Step, Steps


@dataclass(frozen=True)
class KeyProfile:
    """What is particular about the keys of a CLI.

    `settled`: seconds before a deciding key and before the first key of an answer, because what
    was just painted takes no keys yet. `after_text`: seconds after text, where a fast Enter would
    be a newline. `ticks` ticks the row with the cursor. `lines`: a text field takes several
    lines. `field_sends`: Enter in the text field of a list sends all answers. `scrolls`: rows out
    of sight come into view with the cursor. `next_page`: the key that leaves a list with check
    boxes for the next page, where no row does. `continued`: after one of these at the end of a
    text Enter would be a line break, so a blank follows it. `pasted`: a text that begins with one
    of these is pasted, since an empty field takes them for commands. `piece`: a text of more
    characters is pasted in pieces of as many, since the CLI would show a mark in its place.
    `reticks`: this key unticks and ticks the row of a text field in a list with check boxes, and
    the text counts as it was at the tick.
    """

    settled: float = 0.0
    after_text: float = 0.0
    ticks: str = "Space"
    lines: bool = False
    field_sends: bool = False
    scrolls: bool = True
    next_page: str | None = None
    continued: tuple[str, ...] = ()
    reticks: str | None = None
    pasted: tuple[str, ...] = ()
    piece: int | None = None

    def decide(self, key: str = "Enter") -> Steps:
        """Press the key that the CLI acts on."""
        return Steps((*pause(self.settled), Press(key, deciding=True)), done=True)


def pause(seconds: float) -> tuple[Step, ...]:
    """Return a pause as steps, or none for 0."""
    return (Pause(seconds),) if seconds else ()
