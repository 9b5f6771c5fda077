"""Links in Markdown: addresses can be followed, files of the project are told by their path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_ADDRESS = re.compile(r"""\bhttps?://[^\s<>"'`]*[^\s<>"'`.,;:!?()\[\]{}*_~|]""")
_FOLLOWED = ("http://", "https://", "mailto:")


def show_links(state: StateCore) -> None:
    """Link bare addresses and pictures; this server has no page for a path in the project."""
    for token in state.tokens:
        if token.children:
            token.children = list(_of_text(_without_pictures(token.children)))


def _without_pictures(tokens: Sequence[Token]) -> Iterator[Token]:
    # The page loads nothing from elsewhere, so a picture is a link.
    inside = False
    for token in tokens:
        inside = token.type == "link_open" or (inside and token.type != "link_close")
        if token.type != "image":
            yield token
        elif inside:
            yield _text(token.content)
        else:
            address = str(token.attrs["src"])
            yield from _link(address, token.content or unquote(address))


def _of_text(tokens: Iterator[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.type == "link_open":
            label: list[Token] = []
            for part in tokens:
                if part.type == "link_close":
                    yield from _shown(token, label, part)
                    break
                label.append(part)
        elif token.type == "text":
            yield from _with_addresses(token.content)
        else:
            yield token


def _shown(start: Token, label: list[Token], end: Token) -> Iterator[Token]:
    address = str(start.attrs["href"])
    if address.lower().startswith(_FOLLOWED):
        yield from (start, *label, end)
        return
    path = unquote(address)
    words = "".join(part.content for part in label)
    if path.startswith("#") or path in words:
        yield from label
        return
    if words not in path:
        yield from (*label, _text(" "))
    code = Token("code_inline", "code", 0)
    code.content = path
    yield code


def _with_addresses(text: str) -> Iterator[Token]:
    end = 0
    for match in _ADDRESS.finditer(text):
        address = match[0]
        # A bracket belongs to the address if it closes one of the address's own.
        if address.count("(") > address.count(")") and text[match.end() :].startswith(")"):
            address += ")"
        yield _text(text[end : match.start()])
        yield from _link(address, address)
        end = match.start() + len(address)
    yield _text(text[end:])


def _link(address: str, label: str) -> tuple[Token, Token, Token]:
    start = Token("link_open", "a", 1, attrs={"href": address})
    return start, _text(label), Token("link_close", "a", -1)


def _text(content: str) -> Token:
    token = Token("text", "", 0)
    token.content = content
    return token
