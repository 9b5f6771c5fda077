"""How a CLI takes messages: what its composer shows, and how text has to be put into it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from clawtap_core.model import Screen, SeenState, SessionState
from clawtap_core.prompts.sanitize import is_command
from clawtap_core.screens import rows_of
from clawtap_core.words import Matcher


@dataclass(frozen=True)
class Draft:
    """What a composer shows.

    `idle`: the CLI takes messages; `at_start`: the cursor stands where a row of the draft begins
    (None: the screen does not show it); `commands`: keys are vi commands until `i` is pressed
    (None: the same). `hidden` rows have scrolled out above; `room` is the number of rows, and
    `columns` of cells in one, for a text that does not scroll. `returned`: a hook of the user's
    refused this text, and the CLI put it back.
    """

    text: str
    idle: bool = True
    at_start: bool | None = None
    commands: bool | None = False
    hidden: int = 0
    room: int | None = None
    columns: int | None = None
    returned: bool = False

    @property
    def look(self) -> str:
        """What changes with each piece of text, even of equal lines."""
        return f"{self.hidden}+{self.text}" if self.hidden else self.text

    def has_room_for(self, text: str) -> bool:
        """Return True if a text can be seen whole, or scrolls."""
        if self.room is None:
            return True
        lines = text.split("\n")
        rows = [rows_of(line, self.columns) if self.columns else 1 for line in lines]
        return sum(rows) <= self.room


def _never(*_: Any) -> bool:
    return False


def _always(*_: Any) -> bool:
    return True


def draft_of(seen: SeenState | None) -> Draft | None:
    """Return the draft that a screen shows; None where it has no composer."""
    if seen is None or seen.draft is None:
        return None
    return Draft(seen.draft, idle=seen.state is SessionState.IDLE)


def folded_by(*patterns: Matcher) -> Callable[[str, str], bool]:
    """Return a function that tells whether a draft stands for a pasted text.

    The patterns have a group with its number of `lines`, `chars`, or UTF-16 `units`, as JavaScript
    counts characters.
    """

    def folded(draft: str, text: str) -> bool:
        match = next(filter(None, (pattern.fullmatch(draft) for pattern in patterns)), None)
        counts = match.groupdict() if match else {}
        units = len(text.encode("utf-16-le", "surrogatepass")) // 2
        sizes = {"lines": text.count("\n") + 1, "chars": len(text), "units": units}
        return bool(counts) and all(int(count) == sizes[unit] for unit, count in counts.items())

    return folded


def image_by(pattern: Matcher) -> Callable[[str, str], bool]:
    """Return a function that tells whether a draft stands for an image whose path is the text.

    Some CLIs attach an image whose path is pasted alone, in one word of a shell.
    """

    def is_image(draft: str, text: str) -> bool:
        if pattern.fullmatch(draft) is None:
            return False
        try:
            return len(shlex.split(text)) == 1
        except ValueError:
            return False

    return is_image


@dataclass(frozen=True)
class ComposerProfile:
    """How one CLI takes messages.

    `read` returns the composer, or None without one or behind a prompt. Up to `typed` characters
    go in as keys unless the text holds one of `pasted`; the rest is pasted in pieces of `piece`
    characters. `unquoted`: the most line breaks and characters of a paste that does not reach the
    model as a quotation; a longer text is pasted in such pieces, each read back before the next,
    and where the draft does not scroll, `before_piece` seconds after it was.
    `together`: as many line breaks and characters of such pieces are pasted at once where the
    draft scrolls; they must fit into what a scrolling draft shows.

    A text that begins with one of `led` gets a leading blank. So does one that begins with a slash
    and with none of the `commands`, where these are named: the CLI would complete it to a command.
    A text whose last word begins with one of `completed` gets a trailing blank, since an open list
    takes the Enter, as does one that ends with one of `continued`, which would make Enter a line
    break. A text that is nothing but one of `exits` is refused: it would end the CLI. `folded`
    returns True if a draft stands for a text that is out of sight.

    `tries`: how often to place a text of which nothing arrives. `probes` are the keys that move
    the cursor to the beginning and to the end of a row; without them Enter is pressed only once.
    `repaint` is the key that repaints the screen, which wide text may leave in disorder. `asks`
    returns True if a prompt stands in place of the composer; `probes` need it. `shows_tabs`: a tab
    is drawn as blanks, so that one that was lost can be seen. `enter_sends` returns False while
    Enter would take something else than the text, such as the row of a list; a text that stays so
    is removed.
    """

    read: Callable[[Screen], Draft | None]
    after_text: float = 0.2
    before_piece: float = 0.0
    before_enter: float = 0.0
    typed: int = 400
    pasted: tuple[str, ...] = ()
    piece: int | None = None
    unquoted: tuple[int, int] | None = None
    together: tuple[int, int] = (0, 0)
    led: tuple[str, ...] = ()
    commands: Collection[str] | None = None
    completed: tuple[str, ...] = ("@",)
    continued: tuple[str, ...] = ()
    exits: Matcher | None = None
    repaint: str | None = None
    folded: Callable[[str, str], bool] = _never
    tries: int = 1
    probes: tuple[str, str] | None = None
    asks: Callable[[Screen], bool] = _never
    shows_tabs: bool = False
    enter_sends: Callable[[Screen, str], bool] = _always

    def leads(self, text: str) -> bool:
        """Return True if a text needs a leading blank."""
        if text.startswith(self.led):
            return True
        names = self.commands
        return names is not None and is_command(text) and text.split(maxsplit=1)[0] not in names

    def takes_together(self, draft: Draft) -> bool:
        """Return True if several pieces may be pasted at once: the draft scrolls."""
        return self.together != (0, 0) and draft.room is None
