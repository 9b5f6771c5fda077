"""Markdown as plain text, for lists that show a line of a message."""

from __future__ import annotations

import re

# Each with what takes its place. All lengths are bounded: what a model writes may be hostile.
_MARKS = (
    (re.compile(r"^ {0,3}(?:`{3,}|~{3,}).*$", re.M), ""),
    (re.compile(r"^ {0,3}\|? ?:?-{3,200}:? ?(?:\|[-:| ]*)?$", re.M), ""),
    (re.compile(r"^ {0,3}\|(.*)\|[ \t]*$", re.M), lambda row: _cells(row[1])),
    (re.compile(r"^ {0,3}(?:#{1,6} |> ?)", re.M), ""),
    (re.compile(r"^ {0,12}[-*+] (?:\[[ xX]\] )?", re.M), "• "),
    (re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)"), r"\1"),
    (re.compile(r"(?<!`)(`{1,2})(?!`)(.{1,200}?)(?<!`)\1(?!`)"), r"\2"),
    (re.compile(r"(\*\*|~~)(?=\S)(.{1,200}?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,200}?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!\w)_(?=[^\s_])([^_\n]{1,200}?)(?<=[^\s_])_(?!\w)"), r"\1"),
)


def without_markdown(text: str) -> str:
    """Return the words of a text without the marks of Markdown; cells of a table are set apart."""
    for mark, replacement in _MARKS:
        text = mark.sub(replacement, text)
    return text


def _cells(row: str) -> str:
    return " · ".join(filter(None, (cell.strip() for cell in row.split("|"))))
