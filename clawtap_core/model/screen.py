"""A pane's current screen as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from clawtap_core.model.ansi import Span, plain, spans, with_lines


@dataclass(frozen=True)
class Screen:
    """A pane's visible rows, never its scrollback.

    `captured` holds the rows as tmux printed them, with escape sequences. Sizes are in cells;
    `cursor` is (column, row) from 0. None means unknown (a recording may lack it). `revision`
    counts the changes of this pane's screen. `hides_input`: the terminal takes a line that it does
    not show, such as a password. `takes_keys`: the program gets each key, not whole lines.
    """

    captured: tuple[str, ...]
    cols: int = 80
    rows: int = 24
    revision: int = 0
    cursor: tuple[int, int] | None = None
    cursor_visible: bool | None = None
    title: str | None = None
    alternate: bool | None = None
    hides_input: bool | None = None
    takes_keys: bool | None = None

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        cols: int | None = None,
        rows: int | None = None,
        cursor: tuple[int, int] | None = None,
        cursor_visible: bool | None = None,
        title: str | None = None,
        alternate: bool | None = None,
        hides_input: bool | None = None,
        takes_keys: bool | None = None,
    ) -> Screen:
        """Make a screen from captured text, by default of the text's size."""
        captured = tuple(with_lines(text).removesuffix("\n").split("\n"))
        width = cols or max(len(plain(line)) for line in captured)
        return cls(
            captured,
            width,
            rows or len(captured),
            cursor=cursor,
            cursor_visible=cursor_visible,
            title=title,
            alternate=alternate,
            hides_input=hides_input,
            takes_keys=takes_keys,
        )

    @property
    def size(self) -> tuple[int, int]:
        """Its columns and rows."""
        return self.cols, self.rows

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The rows as plain text, without trailing blanks."""
        return tuple(map(_plain_row, self.captured))

    @cached_property
    def parsed(self) -> dict[Callable[[Screen], Any], Any]:
        """What was read on this screen, by the function that read it."""
        return {}

    @cached_property
    def text(self) -> str:
        """The rows as one plain text, without trailing blank rows."""
        return "\n".join(self.lines).rstrip()

    def spans(self, row: int) -> tuple[Span, ...]:
        """Return one row's styled spans."""
        return self._styled[row]

    @cached_property
    def _styled(self) -> tuple[tuple[Span, ...], ...]:
        return tuple(spans(self.captured))


# Most rows are on the next screen too.
@lru_cache(1024)
def _plain_row(row: str) -> str:
    return plain(row).rstrip()
