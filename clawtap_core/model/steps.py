"""What is to be done to a pane, as data. Only the core's delivery carries it out."""

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
    """Whether tmux knows this key: "Enter", "C-c", "Down", "y", ..."""
    return _KEY.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Press:
    """Press one key, by its tmux name.

    `deciding`: after this key the CLI may act (an Enter, a digit that chooses at once). It is
    journalled before, never repeated, and its outcome must be seen.
    """

    key: str
    deciding: bool = False

    def __post_init__(self) -> None:
        if not is_key(self.key):
            raise ValueError(f"not a key of tmux: {self.key!r}")


@dataclass(frozen=True, slots=True)
class Type:
    """Type text as key presses. One line, no control characters: those go by Paste."""

    text: str


@dataclass(frozen=True, slots=True)
class Paste:
    """Paste text by bracketed paste; newlines arrive as newlines."""

    text: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Let this many seconds pass (at most 2): some CLIs take a fast Enter for a newline."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Expect:
    """Go on only when the screen shows `text` (or no longer does); blanks and wraps ignored.

    After `within` seconds without, the rest of the steps is dropped, and the adapter is asked
    again with the screen as it is.
    """

    text: str
    gone: bool = False
    within: float = 2.0


Step = Press | Type | Paste | Pause | Expect


@dataclass(frozen=True, slots=True)
class Steps:
    """The next steps of an answer, a message or an action.

    The adapter is called again with each fresh screen and the `progress` it noted, until
    `done`. `spans`: the answer goes on over further screens of the same form (tabs, a review
    page), which the adapter recognises itself; otherwise a changed prompt ends the delivery.
    `form`: what `reveal` found, given with `done`.
    """

    steps: tuple[Step, ...] = ()
    progress: Any = None
    done: bool = False
    spans: bool = False
    form: PromptForm | None = None
