"""The `clawtap` commands that the documentation shows, word by word."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
PAGES = (
    CHECKOUT / "README.md",
    *sorted((CHECKOUT / "docs").rglob("*.md")),
    *sorted(CHECKOUT.glob("plugins/*/README.md")),
    CHECKOUT / "clawtap_core" / "testing" / "template" / "README.md",
)
PROGRAMS = ("clawtap", ".venv/bin/clawtap")
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:\.venv/bin/)?clawtap(?: [^`]+)?)`")
# Languages whose blocks hold no command lines.
NOT_SHELL = ("http", "json", "python", "toml", "text")


@dataclass(frozen=True)
class DocumentedCommand:
    """One command line of a page; `mentioned` in a sentence, it may leave out what is required."""

    page: str
    words: tuple[str, ...]
    mentioned: bool

    def __str__(self) -> str:
        return f"{self.page}: clawtap {shlex.join(self.words)}"


def documented_commands() -> list[DocumentedCommand]:
    """Return every command of every page once, in the order of the pages."""
    found: dict[DocumentedCommand, None] = {}
    for page in PAGES:
        name, text = str(page.relative_to(CHECKOUT)), page.read_text(encoding="utf-8")
        for _, language, block in FENCE.findall(text):
            if language not in NOT_SHELL:
                for words in _commands(_input(language, block)):
                    found[DocumentedCommand(name, words, mentioned=False)] = None
        for line in INLINE.findall(FENCE.sub("", text)):
            for words in _commands(line):
                found[DocumentedCommand(name, words, mentioned=True)] = None
    return list(found)


def _input(language: str, block: str) -> str:
    """Return what a shell would get of a block."""
    if language == "console":
        return "\n".join(re.findall(r"^ *\$ (.*)$", block, re.MULTILINE))
    if language == "make":
        return re.sub(r"\$\((\w+)\)", r"\1", block).replace("$$", "$")
    return block


def _commands(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the arguments of each `clawtap` in command position."""
    for line in text.replace("\\\n", " ").splitlines():
        if "clawtap" not in line:
            continue
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        simple: list[str] = []
        for word in [*lexer, ";"]:
            if not set(word) <= set(lexer.punctuation_chars):
                simple.append(word)
                continue
            if len(simple) > 1 and simple[0] in PROGRAMS:
                yield tuple(simple[1:])
            simple = []
