"""Here-documents that the grammar cannot read, written as here-strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clawtap_core.commands.words import node_text

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_IN_QUOTES = re.compile(r"\\[$`\\\n]|[\\\"]")


def parse_bash(parser: Parser, text: str) -> Node:
    """Return the tree of a text, with as few errors as possible."""
    source = text.encode("utf-8", "replace")
    root = parser.parse(source).root_node
    if not root.has_error:
        return root
    # The grammar loses what follows "<<EOF > file" on its line: a pipe, "&" or ";". A shell that
    # is given the same text as a here-string does the same.
    for document in sorted(_documents(root), key=lambda node: node.start_byte, reverse=True):
        source = _as_string(source, document)
    again = parser.parse(source).root_node
    return root if again.has_error else again


def _documents(root: Node) -> Iterator[Node]:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.type == "heredoc_redirect":
            yield node
        else:
            nodes.extend(node.children)


def _as_string(source: bytes, document: Node) -> bytes:
    parts = {child.type: child for child in document.children}
    names = ("heredoc_start", "heredoc_body", "heredoc_end")
    if not all(name in parts for name in names):
        return source
    start, body, end = (parts[name] for name in names)
    text = node_text(body)
    if re.search(r"['\"\\]", node_text(start)):
        string = "'" + text.replace("'", "'\\''") + "'"
    else:
        string = '"' + _IN_QUOTES.sub(_quoted, text) + '"'
    line = source[start.end_byte : body.start_byte]
    head, tail = source[: document.start_byte], source[end.end_byte :]
    return head + b" <<<" + string.encode("utf-8", "replace") + line + tail


def _quoted(match: re.Match[str]) -> str:
    return match[0] if len(match[0]) == 2 else "\\" + match[0]
