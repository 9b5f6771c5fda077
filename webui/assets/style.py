"""The page's style sheets as one; requests cost a phone more than bytes."""

from __future__ import annotations

import re

from webui.assets.digest import STATIC

SHEET = "css/all.css"
# For browsers without light-dark(), such as Safari before 17.5.
OLDER_SHEET = "css/older.css"
_LAYOUT = ("layout", "conversation", "pages", "widths")
_PARTS = ("tokens", "base", "controls", *_LAYOUT, "card", "content", "screen", "find", "motion")

_COLOUR = r"(?:[^(),]|\([^()]*\))+"
_LIGHT_DARK = re.compile(rf"light-dark\(({_COLOUR}), ({_COLOUR})\)")
# Of `var(--if-light, A) var(--if-dark, B)` one is empty, and the other falls back to its colour.
_LIGHT = "{ --if-light: initial; --if-dark: ; }"
_DARK = "{ --if-light: ; --if-dark: initial; }"
_THEMES = f"""
:root, :root[data-theme="light"] {_LIGHT}
@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {_DARK} }}
:root[data-theme="dark"] {_DARK}
"""


def style_sheet() -> str:
    """Return the style sheets in their order."""
    sheets = (STATIC / "css" / f"{part}.css" for part in _PARTS)
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def older_style_sheet() -> str:
    """Return the same with custom properties in place of light-dark()."""
    return _LIGHT_DARK.sub(r"var(--if-light, \1) var(--if-dark, \2)", style_sheet()) + _THEMES
