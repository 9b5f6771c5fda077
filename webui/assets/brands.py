"""Adapters' colours as a style sheet, and their icons; plugins are not trusted with either."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup

from clawtap_core.model import AdapterInfo
from webui.markup.sanitizer import icon

_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|(?:rgb|hsl)a?\([\d\s.,%/]{1,60}\)")
_PLAIN = re.compile(r"[^a-z0-9-]+")


def css_class(adapter: str) -> str:
    """Return the class that carries an adapter's colours."""
    return f"brand-{_PLAIN.sub('-', adapter.lower())}"


def stylesheet(adapters: Iterable[AdapterInfo]) -> str:
    """Return the rules of each adapter; one whose colours are not valid has none."""
    return "".join(f"{_colours(info)}{_options(info)}" for info in adapters)


def _options(info: AdapterInfo) -> str:
    """Hide the options of a CLI that is not chosen for a new session."""
    css = css_class(info.id)
    return f".js .sheet:not(:has(.{css}.cli :checked)) .{css}.form-pair{{display:none}}\n"


def _colours(info: AdapterInfo) -> str:
    start, end = info.brand.gradient
    if not all(map(_COLOUR.fullmatch, (info.brand.color, start, end))):
        return ""
    return (
        f".{css_class(info.id)}{{--brand:{info.brand.color};"
        f"--brand-from:{start};--brand-to:{end}}}\n"
    )


def mark(info: AdapterInfo | None, adapter: str) -> Markup:
    """Return an adapter's icon, or the initials of its name."""
    return icon(info.brand.icon, info.name) if info else icon("", adapter)
