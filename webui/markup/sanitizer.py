"""The one place where text that others wrote becomes markup: sanitised here, escaped elsewhere."""

from __future__ import annotations

import re
from functools import lru_cache

import nh3
from markupsafe import Markup

from clawtap_core.model.ansi import exact, plain
from clawtap_core.server.bidi import isolate_phrases
from clawtap_core.system.native_thread import in_native_thread
from webui.markup.markdown import definitions, render_markdown, sections

_LONG = 500
_MOST_SECTIONS = 100
_TEXT_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_TEXT_ATTRIBUTES = {"a": {"href"}, "span": {"class"}, "code": {"class"}, "ol": {"start"}}
# In sanitised text a "<" begins a tag that was allowed.
_CODE = re.compile(
    r'<pre><code(?: class="language-([\w+#.-]{1,30})")?>(.*?)</code></pre>', re.DOTALL
)
_IN_CODE = re.compile(r"<code>.*?</code>", re.DOTALL)
# Their bullets, numbers, bars and columns begin where their text does; code has no say in that.
_IN_TEXTS_DIRECTION = re.compile(r"<(?:ul|ol|blockquote|table)\b")
_TASK = re.compile(r"(<li>\s*(?:<p>)?)\[([ xX])\] ")
_ICON_TAGS = {"svg", "g", "path", "circle", "ellipse", "rect", "line", "polyline", "polygon"}
_ICON_ATTRIBUTES = {
    *("d", "cx", "cy", "r", "rx", "ry", "x", "y", "x1", "y1", "x2", "y2", "width", "height"),
    *("points", "transform", "fill", "stroke", "stroke-width", "stroke-linecap", "opacity"),
    *("stroke-linejoin", "fill-rule", "clip-rule", "fill-opacity", "stroke-opacity"),
}


def visible(text: str) -> str:
    """Remove escape sequences; spell out characters that hide or reorder others."""
    return exact(plain(text))


@lru_cache(maxsize=256)
def rich(text: str) -> Markup:
    """Render Markdown as HTML that cannot run, load or imitate anything."""
    if len(text) < _LONG:
        return Markup(_sanitized(text))  # noqa: S704 -- nh3 has just cleaned it
    return Markup(in_native_thread(lambda: _sanitized(text)))  # noqa: S704 -- as above


def rich_while_written(text: str) -> Markup:
    """Render Markdown that is still being written; only its last section is rendered again."""
    parts = list(sections(text))
    # Few enough to stay in the cache; links that are defined elsewhere need the whole text.
    if len(parts) > _MOST_SECTIONS or definitions(text):
        return rich(text)
    return Markup("").join(map(rich, parts))


def _sanitized(text: str) -> str:
    html = nh3.clean(
        render_markdown(visible(text)),
        tags=_TEXT_TAGS,
        attributes=_TEXT_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    # In a tab of its own: what is being written or chosen here stays.
    html = html.replace("<a ", '<a target="_blank" ')
    # What scrolls can be reached by the keyboard.
    html = html.replace("<table>", '<table tabindex="0">')
    html = _TASK.sub(_task, _CODE.sub(_code_block, html))
    html = _IN_CODE.sub(lambda code: isolate_phrases(code[0]), html)
    return _IN_TEXTS_DIRECTION.sub(r'\g<0> dir="auto"', html.replace("<code", '<code dir="ltr"'))


def _code_block(match: re.Match[str]) -> str:
    label = match[1] or ""
    pre = f'<pre tabindex="0"><code>{match[2]}</code></pre>'
    return f'<ct-code class="code" data-label="{label}">{pre}</ct-code>'


def _task(match: re.Match[str]) -> str:
    if match[2] == " ":
        return f'{match[1]}<span class="task" role="img" aria-label="To do">☐</span>'
    return f'{match[1]}<span class="task ticked" role="img" aria-label="Done">☑</span>'


@lru_cache(maxsize=64)
def icon(markup: str, name: str) -> Markup:
    """Return a brand's icon from its inner SVG markup, or the name's initials."""
    inner = nh3.clean(
        f"<svg>{markup[:20_000]}</svg>",
        tags=_ICON_TAGS,
        attributes={"*": _ICON_ATTRIBUTES},
        # A url() would load from elsewhere.
        attribute_filter=lambda _tag, _name, value: None if "url(" in value.lower() else value,
        link_rel=None,
    )
    inner = inner.removeprefix("<svg>").removesuffix("</svg>")
    if "<" not in inner or "svg>" in inner:
        return Markup('<span class="initials">{}</span>').format(initials(name))
    return Markup('<svg viewBox="0 0 24 24" aria-hidden="true">{}</svg>').format(Markup(inner))  # noqa: S704 -- cleaned


def initials(name: str) -> str:
    """Return one or two letters that stand for a name."""
    words = re.findall(r"\w+", name) or ["?"]
    return "".join(word[0] for word in words[:2]).upper()
