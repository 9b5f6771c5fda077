"""Syntax colours for the lines of a change, by its file's name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import STANDARD_TYPES, _TokenType
from pygments.util import ClassNotFound

from clawtap_core.system.native_thread import in_native_thread
from webui.markup.diffs import Change, Line

_MOST_CHARACTERS = 20_000
_LONG = 2_000
Tokens = list[tuple[str, str]]


def coloured(change: Change) -> Change:
    """Return the change with the token classes of its lines, where its language is known."""
    size = sum(len(line.text) for line in change.lines)
    if not change.path or not size or size > _MOST_CHARACTERS:
        return change
    try:
        lexer = get_lexer_for_filename(change.path, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return change
    if size < _LONG:
        return _coloured(change, lexer)
    return in_native_thread(lambda: _coloured(change, lexer))


def _coloured(change: Change, lexer: Lexer) -> Change:
    # Each side is read as one text, so that strings and comments over several lines are whole.
    before = iter(_tokens_by_line(change.lines, ("same", "del"), lexer))
    after = iter(_tokens_by_line(change.lines, ("same", "add"), lexer))
    lines = []
    for line in change.lines:
        old = next(before, []) if line.kind in ("same", "del") else []
        new = next(after, []) if line.kind in ("same", "add") else []
        tokens = new or old
        lines.append(replace(line, runs=tuple(_runs(tokens, line))) if tokens else line)
    return replace(change, lines=tuple(lines))


def _tokens_by_line(
    lines: Sequence[Line], kinds: tuple[str, ...], lexer: Lexer
) -> Iterable[Tokens]:
    text = "\n".join(line.text for line in lines if line.kind in kinds)
    row: Tokens = []
    for token, value in lexer.get_tokens(text):
        first, *others = value.split("\n")
        row.append((_css_class(token), first))
        for part in others:
            yield row
            row = [(_css_class(token), part)]
    yield row


def _css_class(token: _TokenType) -> str:
    while token not in STANDARD_TYPES and token.parent:
        token = token.parent
    return STANDARD_TYPES.get(token, "")


def _runs(tokens: Tokens, line: Line) -> Iterator[tuple[str, str, bool]]:
    """Yield the tokens, split where the marks of what differs begin and end."""
    if "".join(text for _, text in tokens) != line.text:
        return
    marks = [differs for text, differs in line.pieces for _ in text]
    at = 0
    for css, text in tokens:
        start = 0
        for end in range(1, len(text) + 1):
            last = end == len(text)
            if last or (marks and marks[at + end] != marks[at + start]):
                yield css, text[start:end], bool(marks) and marks[at + start]
                start = end
        at += len(text)
