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
    """Return a rule for each adapter whose colours are valid."""
    return "".join(filter(None, map(_rule, adapters)))


def _rule(info: AdapterInfo) -> str:
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
