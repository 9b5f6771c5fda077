"""Render screens as HTML; the only place where hostile CLI output is escaped.

Styles become classes (`fg-2`, `bold`), since the page's policy forbids inline styles, and RGB
colours the nearest of the palette.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape

from clawtap_core.model import Screen, Span, Style
from clawtap_core.server.bidi import isolate_phrases

_FLAGS = ("bold", "dim", "italic", "underline", "inverse", "strike")
_STEPS = (0, 95, 135, 175, 215, 255)
# fmt: off
_BASIC = (
    "#2e3436", "#cc4b4b", "#4e9a06", "#c4a000", "#4a7fd1", "#9a6aa8", "#06989a", "#d3d7cf",
    "#7c7f7a", "#f26d6d", "#8ae234", "#fce94f", "#86b1f2", "#c79bd4", "#4ae2e2", "#ffffff",
)
# fmt: on


def screen_html(screen: Screen) -> str:
    """Return the screen's rows as lines of escaped text in spans."""
    rows = range(len(screen.captured))
    return "\n".join("".join(map(_span, screen.spans(row))) for row in rows)


def palette_css() -> str:
    """Return the CSS rules of the classes that `screen_html` uses."""
    rules = [
        ".bold{font-weight:bold}",
        ".dim{opacity:.6}",
        ".italic{font-style:italic}",
        ".underline{text-decoration:underline}",
        ".strike{text-decoration:line-through}",
        ".inverse{filter:invert(1)}",
    ]
    for index in range(256):
        colour = _palette(index)
        rules.append(f".fg-{index}{{color:{colour}}}.bg-{index}{{background-color:{colour}}}")
    return "\n".join(rules) + "\n"


def _span(span: Span) -> str:
    classes = _classes(span.style)
    text = isolate_phrases(escape(span.text))
    return f'<span class="{classes}">{text}</span>' if classes else text


@lru_cache(maxsize=512)
def _classes(style: Style) -> str:
    fg, bg = _index(style.fg), _index(style.bg)
    names = [f"fg-{fg}"] if fg is not None else []
    names += [f"bg-{bg}"] if bg is not None else []
    return " ".join(names + [flag for flag in _FLAGS if getattr(style, flag)])


def _index(colour: str | None) -> int | None:
    if colour is None:
        return None
    if not colour.startswith("#"):
        return int(colour) & 255
    target = _rgb(colour)

    def distance(index: int) -> int:
        return sum((a - b) ** 2 for a, b in zip(_rgb(_palette(index)), target, strict=True))

    # The first 16 colours differ by theme, so only the cube and the greys are candidates.
    return min(range(16, 256), key=distance)


@lru_cache(maxsize=256)
def _palette(index: int) -> str:
    if index < 16:
        return _BASIC[index]
    if index >= 232:
        grey = 8 + 10 * (index - 232)
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    cube = index - 16
    red, green, blue = (_STEPS[cube // 36], _STEPS[cube // 6 % 6], _STEPS[cube % 6])
    return f"#{red:02x}{green:02x}{blue:02x}"


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
