"""Actions on a pane, as data that only the core's delivery carries out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from clawtap_core.model.prompt import PromptForm

_KEY = re.compile(
    r"(?:[CMS]-)*(?:Enter|Escape|Tab|BTab|Up|Down|Left|Right|Home|End|PPage|NPage|PageUp|PageDown"
    r"|Space|BSpace|DC|IC|F(?:1[0-2]|[1-9])|[!-~])"
)


def is_key(name: str) -> bool:
    """Return True if tmux knows this key: "Enter", "C-c", "Down", "y", ..."""
    return _KEY.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Press:
    """Press one key, by its tmux name.

    Keys: any ASCII character, Enter, Escape, Tab, BTab (Shift+Tab), Space, BSpace (backspace), DC
    (delete), IC (insert), Up, Down, Left, Right, Home, End, PPage, NPage, F1 to F12; with C-, M- or
    S- before it for Ctrl, Alt or Shift, as in C-c.

    `deciding`: the CLI may act on this key (an Enter, a digit that chooses at once). It is
    journalled first, never repeated, and its outcome must be seen.
    """

    key: str
    deciding: bool = False

    def __post_init__(self) -> None:
        if not is_key(self.key):
            raise ValueError(f"not a key of tmux: {self.key!r}")


@dataclass(frozen=True, slots=True)
class Type:
    """Type one line of text as key presses; control characters go by Paste."""

    text: str


@dataclass(frozen=True, slots=True)
class Paste:
    """Paste text by bracketed paste; newlines arrive as newlines."""

    text: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for this many seconds (at most 2): some CLIs take a fast Enter for a newline."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Expect:
    """Continue only when the screen shows `text` (or no longer does), ignoring blanks and wraps.

    After `within` seconds the remaining steps are dropped, and the adapter is asked again with the
    current screen.
    """

    text: str
    gone: bool = False
    within: float = 2.0


Step = Press | Type | Paste | Pause | Expect


@dataclass(frozen=True, slots=True)
class Steps:
    """The next steps of an answer, a message or an action.

    The adapter is called again with each fresh screen and its own `progress`, until `done`.
    `spans`: the answer continues over further screens of the same form (tabs, a review page),
    which the adapter recognises itself; otherwise a changed prompt ends the delivery. `form`: the
    result of `reveal`, returned with `done`. `reason_given`: the reason went into a field of the
    CLI, so it is not sent again as a message; to be said of an approval, and of a refusal whose
    prompt had not announced the field. `reason_left`: it did not go into the announced field, so
    it is sent as a message. `refused`: why the CLI does not take the answer, which ends the
    delivery after these steps; nothing was decided.
    """

    steps: tuple[Step, ...] = ()
    progress: Any = None
    done: bool = False
    spans: bool = False
    form: PromptForm | None = None
    reason_given: bool = False
    reason_left: bool = False
    refused: str = ""

    @property
    def deciding(self) -> Press | None:
        """The key that the CLI acts on, if there is one."""
        return next(
            (each for each in self.steps if isinstance(each, Press) and each.deciding), None
        )
