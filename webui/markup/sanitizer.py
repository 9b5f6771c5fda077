"""The one place where text that others wrote becomes markup: sanitised here, escaped elsewhere."""

from __future__ import annotations

import re
from functools import lru_cache

import nh3
from markupsafe import Markup

from clawtap_core.model.ansi import plain
from webui.markup.markdown import render_markdown
from webui.markup.native_thread import in_native_thread

_LONG = 500
_TEXT_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_TEXT_ATTRIBUTES = {"a": {"href"}, "span": {"class"}, "ol": {"start"}}
_ICON_TAGS = {"svg", "g", "path", "circle", "ellipse", "rect", "line", "polyline", "polygon"}
_ICON_ATTRIBUTES = {
    *("d", "cx", "cy", "r", "rx", "ry", "x", "y", "x1", "y1", "x2", "y2", "width", "height"),
    *("points", "transform", "fill", "stroke", "stroke-width", "stroke-linecap", "opacity"),
    *("stroke-linejoin", "fill-rule", "clip-rule", "fill-opacity", "stroke-opacity"),
}
_MISLEADING = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text without escape sequences; characters that hide or reorder others are spelt out."""
    return _MISLEADING.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", plain(text))


@lru_cache(maxsize=256)
def rich(text: str) -> Markup:
    """Markdown as HTML that cannot run, load or imitate anything."""
    if len(text) < _LONG:
        return Markup(_sanitized(text))  # noqa: S704 -- nh3 has just cleaned it
    return Markup(in_native_thread(lambda: _sanitized(text)))  # noqa: S704 -- as above


def _sanitized(text: str) -> str:
    return nh3.clean(
        render_markdown(visible(text)),
        tags=_TEXT_TAGS,
        attributes=_TEXT_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


@lru_cache(maxsize=64)
def icon(markup: str, name: str) -> Markup:
    """A brand's icon from its inner SVG markup; the name's initials where there is none."""
    inner = nh3.clean(
        f"<svg>{markup[:20_000]}</svg>",
        tags=_ICON_TAGS,
        attributes={"*": _ICON_ATTRIBUTES},
        attribute_filter=_own_values_only,
        link_rel=None,
    )
    inner = inner.removeprefix("<svg>").removesuffix("</svg>")
    if "<" not in inner or "svg>" in inner:
        return Markup('<span class="initials">{}</span>').format(initials(name))
    return Markup('<svg viewBox="0 0 24 24">{}</svg>').format(Markup(inner))  # noqa: S704 -- cleaned


def initials(name: str) -> str:
    """One or two letters that stand for a name."""
    words = re.findall(r"\w+", name) or ["?"]
    return "".join(word[0] for word in words[:2]).upper()


def _own_values_only(_tag: str, _attribute: str, value: str) -> str | None:
    return None if "url(" in value.lower() else value
