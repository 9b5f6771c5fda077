"""The part of a message's text around a match."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clawtap_core.model import SnippetPart
from clawtap_core.search.characters import folded
from clawtap_core.search.plain_text import without_markdown
from clawtap_core.search.query import Query

BEFORE = 48  # characters that are shown before the first match
LENGTH = 200
_SPACE = re.compile(r"\s+")


def snippet(text: str, query: Query) -> tuple[SnippetPart, ...]:
    """Return one line of the text, in parts; those that match are marked."""
    plain = without_markdown(text)
    if query.is_in(plain):
        text = plain  # Otherwise a match lies in what was taken away.
    lowered = folded(text)
    first = query.pattern.search(lowered)
    start = _start(text, first.start()) if first else 0
    end = min(start + LENGTH, len(text))
    ends = (SnippetPart("…" if start else ""), SnippetPart("…" if end < len(text) else ""))
    parts = (ends[0], *marked(text[:end], query, start), ends[1])
    return tuple(part for part in parts if part.text)


def marked(text: str, query: Query, start: int = 0) -> Iterator[SnippetPart]:
    """Yield a text in parts; those that match are marked."""
    for match in query.pattern.finditer(folded(text), start):
        yield _part(text[start : match.start()])
        yield _part(text[match.start() : match.end()], match=True)
        start = match.end()
    yield _part(text[start:])


def _start(text: str, match: int) -> int:
    """Return where the snippet begins: at a word shortly before the match."""
    start = max(match - BEFORE, 0)
    space = _SPACE.search(text, start, match) if start else None
    return space.end() if space else start


def _part(text: str, *, match: bool = False) -> SnippetPart:
    return SnippetPart(_SPACE.sub(" ", text), match)
