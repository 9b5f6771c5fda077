"""Render Markdown, bounded in size and time: transcripts are hostile input."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from time import monotonic

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from webui.markup.links import show_links

MOST_MARKDOWN = 200_000
MOST_SECTION = 20_000
MOST_HIGHLIGHTED = 10_000
MOST_SECONDS = 0.5
_SPLIT_ABOVE = 4_000
_HEADINGS_ABOVE = 2
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(?P<info>.*)$")
# After a blank line such a line begins a block of its own, whatever came before.
_BLOCK_START = re.compile(r"(#{1,6} |[^\s\d>|+*~`=_-])")
_DEFINITION = re.compile(r"^ {0,3}\[[^\[\]]{1,200}\]: *\S.*$", re.MULTILINE)


def _highlight(code: str, language: str, _attributes: str) -> str:
    if len(code) > MOST_HIGHLIGHTED:
        return ""
    try:
        lexer = get_lexer_by_name(language, stripall=False)
    except ClassNotFound:
        return ""
    return highlight(code, lexer, HtmlFormatter(nowrap=True))


def _lower_headings(state: StateCore) -> None:
    """Start headings below that of the card or page which they are in, and skip no level."""
    # The headings that the current one is below, also those of earlier sections of a text.
    above: list[int] = state.env.setdefault("headings", [])
    for token in state.tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
            above[:] = [other for other in above if other < level] + [level]
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(len(above) + _HEADINGS_ABOVE, 6)}"


_MARKDOWN = MarkdownIt("commonmark", {"html": False, "highlight": _highlight}).enable(
    ["table", "strikethrough"]
)
_MARKDOWN.core.ruler.push("lower_headings", _lower_headings)
_MARKDOWN.core.ruler.push("show_links", show_links)


def render_markdown(text: str) -> str:
    """Render Markdown; what is too long or takes too long is shown as plain text."""
    if len(text) > MOST_MARKDOWN:
        return _plain(text)
    if len(text) <= _SPLIT_ABOVE:
        return str(_MARKDOWN.render(text))
    until = monotonic() + MOST_SECONDS
    links: dict[str, object] = {}
    _MARKDOWN.parse(definitions(text), links)
    return "".join(
        _plain(section)
        if len(section) > MOST_SECTION or monotonic() > until
        else _MARKDOWN.render(section, links)
        for section in sections(text)
    )


def definitions(text: str) -> str:
    """Return the definitions of links in a text, which hold in all its sections."""
    return "\n".join(_DEFINITION.findall(text)[:1000])


def sections(text: str) -> Iterator[str]:
    """Yield parts of the text that can be rendered separately: whole blocks and fences."""
    lines: list[str] = []
    fence = ""
    after_blank = False
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence and after_blank and (mark or _BLOCK_START.match(line)):
            yield "\n".join(lines) + "\n"
            lines = []
        lines.append(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not mark["info"].strip():
            fence = ""
        after_blank = not line.strip()
    yield "\n".join(lines)


def _plain(section: str) -> str:
    lines = section.strip("\n").split("\n")
    if _FENCE.match(lines[0]):
        lines = lines[1:-1] if len(lines) > 1 and _FENCE.match(lines[-1]) else lines[1:]
    return f"<pre>{html.escape(chr(10).join(lines))}</pre>\n"
