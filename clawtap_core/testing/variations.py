"""The same screen as other panes would show it, asking the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from clawtap_core.model import PromptForm, Screen
from clawtap_core.prompts.identity import squeeze

Variation = Callable[[Screen], Screen]
_PAINTING = 12
_SIDES, _NOT_SIDES = re.compile("[│┃]"), re.compile("[^│┃]")
_EARLIER = (
    "> an earlier message",
    "",
    "  An earlier answer, of which only the end is seen:",
    "  1. first this",
    "  2. then that",
    "",
)


def trailing_blanks(screen: Screen) -> Screen:
    """Return the screen with blanks at the end of each row."""
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


def without_body(screen: Screen, form: PromptForm) -> Screen | None:
    """Return the screen as a CLI paints it before the body of this prompt, or None without one.

    The rows between the title and the options that show its description are blank in their frame.
    """
    body = squeeze(form.description)
    title = squeeze(form.title)
    labels = {squeeze(option.label) for option in form.options}
    rows, blanked = list(screen.captured), False
    for at in range(form.top or 0, len(rows)):
        words = squeeze(_SIDES.sub("", screen.lines[at]))
        if words and words in body and words not in {title, *labels}:
            rows[at] = _NOT_SIDES.sub(" ", screen.lines[at])
            blanked = True
        elif any(label in words for label in labels):
            break
    return replace(screen, captured=tuple(rows)) if blanked else None


VARIATIONS: tuple[Variation, ...] = (trailing_blanks, blank_lines_below, scrollback_above, wider)
