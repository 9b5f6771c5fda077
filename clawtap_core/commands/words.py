"""Words of the shell grammar, unquoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clawtap_core.commands.values import Word

if TYPE_CHECKING:
    from tree_sitter import Node

_GLOB = re.compile(r"(?<!\\)[*?\[{]")
_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r'\\([$`"\\\n])')
_ANSI_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ANSI_LETTERS = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))
_SUBSTITUTIONS = frozenset(("command_substitution", "process_substitution"))


def read_word(node: Node, runs: tuple[str, ...] = ()) -> Word:
    """Return the word of a node; `runs` names the programs of its substitutions."""
    pieces = list(_pieces(node))
    return Word("".join(text for text, _ in pieces), all(exact for _, exact in pieces), runs)


def substitutions(node: Node) -> Iterator[Node]:
    """Yield the outermost substitutions of a node."""
    nodes = [node]
    while nodes:
        node = nodes.pop()
        if node.type in _SUBSTITUTIONS:
            yield node
        else:
            nodes.extend(reversed(node.named_children))


def node_text(node: Node) -> str:
    """Return a node as it was written."""
    return str(node.text or b"", "utf-8", "replace")


def _pieces(node: Node) -> Iterator[tuple[str, bool]]:
    text = node_text(node)
    if node.type in ("word", "number", "variable_name", "test_operator", "extglob_pattern"):
        exact = _GLOB.search(text) is None and node.type != "extglob_pattern"
        yield _ESCAPE.sub(lambda match: match[1].strip("\n"), text), exact
    elif node.type == "raw_string":
        # To fish, a quote after a backslash does not end the string.
        yield text[1:-1], (len(text) - len(text[:-1].rstrip("\\"))) % 2 == 1
    elif node.type == "ansi_c_string":
        yield _ANSI_ESCAPE.sub(_ansi_character, text[2:-1]), True
    elif node.type in ("string", "translated_string"):
        yield from _quoted(node)
    elif node.type in ("command_name", "concatenation"):
        for child, after in zip(node.children, [*node.children[1:], None], strict=True):
            # a$"b": a translated string, which the grammar knows only at the beginning of a word
            if not (child.type == "$" and after is not None and after.type == "string"):
                yield from _pieces(child)
    else:
        # An expansion, a substitution, arithmetic, or what the grammar does not know.
        yield text, not node.is_named and _GLOB.search(text) is None


def _quoted(node: Node) -> Iterator[tuple[str, bool]]:
    source, end = node.text or b"", 2 if node.type == "translated_string" else 1
    # Blanks at an expansion belong to no child: read the text between the children.
    for child in node.named_children:
        if child.type == "string_content":
            continue
        at = child.start_byte - node.start_byte
        yield _unescape(source[end:at]), True
        yield node_text(child), False
        end = child.end_byte - node.start_byte
    closed = not node.children[-1].is_missing
    yield _unescape(source[end : -1 if closed else None]), True


def _unescape(quoted: bytes) -> str:
    text = quoted.decode("utf-8", "replace")
    return _QUOTED_ESCAPE.sub(lambda match: match[1].strip("\n"), text)


def _ansi_character(match: re.Match[str]) -> str:
    for group, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
        if match[group]:
            code = int(match[group], base)
            return chr(code) if code < 0x110000 else ""
    return _ANSI_LETTERS.get(match[5], match[5])
