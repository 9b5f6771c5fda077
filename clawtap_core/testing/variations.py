"""The same screen as other panes would show it: what is asked stays what it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clawtap_core.model import Screen

Variation = Callable[[Screen], Screen]
_EARLIER = (
    "> an earlier message",
    "",
    "  An earlier answer, of which only the end is seen:",
    "  1. first this",
    "  2. then that",
    "",
)


def trailing_blanks(screen: Screen) -> Screen:
    """Every row filled up with blanks."""
    return replace(screen, captured=tuple(f"{row}\x1b[0m   " for row in screen.captured))


def blank_lines_below(screen: Screen) -> Screen:
    """A taller pane whose lower rows are empty."""
    return replace(screen, captured=(*screen.captured, *[""] * 8), rows=screen.rows + 8)


def scrollback_above(screen: Screen) -> Screen:
    """A taller pane that shows more of what was before."""
    more = len(_EARLIER)
    column, row = screen.cursor or (0, 0)
    return replace(
        screen,
        captured=(*_EARLIER, *screen.captured),
        rows=screen.rows + more,
        cursor=(column, row + more) if screen.cursor else None,
    )


def wider(screen: Screen) -> Screen:
    """A wider pane on which nothing was painted anew."""
    return replace(screen, cols=screen.cols + 40)


def without_facts(screen: Screen) -> Screen:
    """A screen of which only the text is known."""
    return replace(screen, cursor=None, cursor_visible=None, title=None, alternate=None)


VARIATIONS: tuple[Variation, ...] = (trailing_blanks, blank_lines_below, scrollback_above, wider)
