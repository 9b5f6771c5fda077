"""The part of a message's text around a match."""

from __future__ import annotations

import re

from clawtap_core.model import SnippetPart
from clawtap_core.search.characters import folded
from clawtap_core.search.query import Query

BEFORE = 48  # characters that are shown before the first match
LENGTH = 200
_SPACE = re.compile(r"\s+")


def snippet(text: str, query: Query) -> tuple[SnippetPart, ...]:
    """Return one line of the text, in parts; those that match are marked."""
    lowered = folded(text)
    first = query.pattern.search(lowered)
    start = _start(text, first.start()) if first else 0
    end = min(start + LENGTH, len(text))
    parts = [SnippetPart("…")] if start else []
    at = start
    for match in query.pattern.finditer(lowered, start, end):
        parts.append(_part(text[at : match.start()]))
        parts.append(_part(text[match.start() : match.end()], match=True))
        at = match.end()
    parts.append(_part(text[at:end]))
    if end < len(text):
        parts.append(SnippetPart("…"))
    return tuple(part for part in parts if part.text)


def _start(text: str, match: int) -> int:
    """Return where the snippet begins: at a word shortly before the match."""
    start = max(match - BEFORE, 0)
    space = _SPACE.search(text, start, match) if start else None
    return space.end() if space else start


def _part(text: str, *, match: bool = False) -> SnippetPart:
    return SnippetPart(_SPACE.sub(" ", text), match)
