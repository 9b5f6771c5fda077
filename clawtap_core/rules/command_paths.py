"""Every path that a command may mean, read generously: a rule asks where it is not sure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clawtap_core.commands import Command, Word, resolve
from clawtap_core.rules.paths import NamedPath

_URL = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://")
# Not /dev/tty: what is written there is drawn over the CLI's prompts, and it takes the keys.
_STREAMS = re.compile(r"/dev/(?:null|zero|std(?:in|out|err)|u?random)")
_TO_FILES = re.compile(r"&?[<>][>|]?|>&|<>")


def named_paths(command: Command) -> Iterator[NamedPath]:
    """Yield the paths in a command's words and redirections.

    A word without a slash may be a file, too, and an option may hold one: "--out=FILE", "-oFILE".
    """
    for word in command.arguments:
        yield from word_paths(word, command.directory)
    for redirection in command.redirections:
        if not is_stream(redirection.operator, redirection.target.text):
            yield _named(redirection.target.text, redirection.target, command.directory)


def word_paths(word: Word, directory: str | None) -> Iterator[NamedPath]:
    """Yield the paths that one word may mean; "x://../a" is one for all who open it as a file."""
    for text in dict.fromkeys(_candidates(word.text)):
        if text and not _STREAMS.fullmatch(text):
            for path in dict.fromkeys((text, text.removeprefix("file://"))):
                yield _named(path, word, directory)


def is_stream(operator: str, target: str) -> bool:
    """Return whether a redirection goes to no file: "2>&1", or ">/dev/null"."""
    if operator in (">&", "<&") and re.fullmatch(r"\d|-", target):
        return True
    return _TO_FILES.fullmatch(operator) is not None and bool(_STREAMS.fullmatch(target))


def _named(text: str, word: Word, directory: str | None) -> NamedPath:
    return NamedPath.of(text, resolve(Word(text, word.exact), directory), directory)


def _candidates(text: str) -> Iterator[str]:
    option = text.startswith("-")
    if not option:
        yield text
    if option and not text.startswith("--") and len(text) > 2:
        yield text[2:]
        # "-nfFILE": where the letters end cannot be known, but a path shows itself.
        yield from re.findall(r"(?<=\w)[./~].*", text)
    for mark in ("=", "@", ":"):
        # "--out=FILE", "if=FILE", "-d @FILE", "-v /:/host", "host:FILE"
        _, found, rest = text.partition(mark)
        if found and rest and not _URL.match(text):
            yield from (rest.removeprefix("@"), *(rest.split(":") if mark == ":" else ()))
