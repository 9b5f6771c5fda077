"""Screens as HTML. What a CLI prints is hostile: this is the one place where it is escaped.

Styles become classes (`fg-2`, `bold`), since the page's policy allows no inline style; colours
beyond the palette go to the nearest of its 256.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape

from clawtap_core.model import Screen, Span, Style

_FLAGS = ("bold", "dim", "italic", "underline", "inverse", "strike")
_STEPS = (0, 95, 135, 175, 215, 255)
# fmt: off
_BASIC = (
    "#2e3436", "#cc4b4b", "#4e9a06", "#c4a000", "#4a7fd1", "#9a6aa8", "#06989a", "#d3d7cf",
    "#7c7f7a", "#f26d6d", "#8ae234", "#fce94f", "#86b1f2", "#c79bd4", "#4ae2e2", "#ffffff",
)
# fmt: on


def screen_html(screen: Screen) -> str:
    """The screen's rows, a line each: escaped text in spans with classes."""
    return "\n".join(_row(screen, row) for row in range(len(screen.captured)))


def palette_css() -> str:
    """The rules for every class that `screen_html` uses, for a page's stylesheet."""
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


def _row(screen: Screen, row: int) -> str:
    spans = screen.spans(row)
    return "".join(_span(span) for span in spans)


def _span(span: Span) -> str:
    classes = _classes(span.style)
    text = escape(span.text)
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
    wanted = _rgb(colour)
    return min(range(16, 256), key=lambda index: _distance(_rgb(_palette(index)), wanted))


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


def _distance(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
