"""The same screen as other panes would show it, asking the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from clawtap_core.model import Screen

Variation = Callable[[Screen], Screen]
_PAINTING = 12
_EARLIER = (
    "> an earlier message",
    "",
    "  An earlier answer, of which only the end is seen:",
    "  1. first this",
    "  2. then that",
    "",
)


def trailing_blanks(screen: Screen) -> Screen:
    """Fill up every row with blanks."""
    return replace(screen, captured=tuple(f"{row}\x1b[0m   " for row in screen.captured))


def blank_lines_below(screen: Screen) -> Screen:
    """Return a taller pane with empty lower rows."""
    return replace(screen, captured=(*screen.captured, *[""] * 8), rows=screen.rows + 8)


def scrollback_above(screen: Screen) -> Screen:
    """Return a taller pane that shows earlier output."""
    more = len(_EARLIER)
    column, row = screen.cursor or (0, 0)
    return replace(
        screen,
        captured=(*_EARLIER, *screen.captured),
        rows=screen.rows + more,
        cursor=(column, row + more) if screen.cursor else None,
    )


def wider(screen: Screen) -> Screen:
    """Return a wider pane without repainting."""
    return replace(screen, cols=screen.cols + 40)


def without_facts(screen: Screen) -> Screen:
    """Return a screen of which only the text is known."""
    return replace(screen, cursor=None, cursor_visible=None, title=None, alternate=None)


def half_painted(screen: Screen) -> Iterator[Screen]:
    """Yield the screen while it is painted row by row from the top."""
    painted = [row for row, line in enumerate(screen.lines) if line]
    for row in painted[-_PAINTING:]:
        line = screen.captured[row]
        above, below = screen.captured[:row], [""] * (len(screen.captured) - row - 1)
        yield replace(screen, captured=(*above, line[: len(line) // 2], *below))
        yield replace(screen, captured=(*above, "", *below))


VARIATIONS: tuple[Variation, ...] = (trailing_blanks, blank_lines_below, scrollback_above, wider)
