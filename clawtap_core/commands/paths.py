"""The paths that a command names, resolved as text: links are not followed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from clawtap_core.commands.values import Command, Word

_URL = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:")
_VARIABLE = re.compile(r"^\$(?:HOME\b|\{HOME\})|^~(?=/|$)")
_HERE = re.compile(r"^\$(?:PWD\b|\{PWD\})")
# Their first operand is an expression, and their -e takes one.
_EXPRESSIONS = frozenset(("grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk", "jq", "tr"))
_NO_PATHS = frozenset(("echo", "printf", "export", "alias", "read", "test", "[", "true", "false"))
_TEXT_OPTIONS = frozenset(("-m", "--message", "-e", "--regexp", "--expression", "-c", "--grep"))
# "-C.." and "-f/etc/hosts"; other letters take a mark such as "/" as often as a path.
_ATTACHED = re.compile(r"-[A-Za-z]*?[CfTo]((?:/|~|\.\.).*)")
_TO_FILES = frozenset((">", ">>", "<", ">|", "&>", "&>>", "<>", ">&"))
_STREAMS = re.compile(r"/dev/(?:null|zero|tty|std(?:in|out|err)|u?random|fd/\d+)")


def resolve(word: Word, directory: str | None, home: str | None = None) -> str | None:
    """Return the absolute path that a word names, or None where an expansion decides it."""
    text = word.text.removeprefix("file://")
    text = _VARIABLE.sub(lambda _: home or str(Path.home()), text)
    text = _HERE.sub(lambda _: directory or "$PWD", text)
    if text.startswith("~") or (re.search(r"[$`]|[<>]\(", text) and not word.exact):
        return None
    if not text.startswith("/") and directory is None:
        return None
    return posixpath.normpath(posixpath.join(directory or "/", text))


def command_paths(command: Command) -> Iterator[tuple[Word, str | None]]:
    """Yield the paths of a command's arguments and redirections, resolved where they can be."""
    for word in (*_argument_paths(command), *_redirected_paths(command)):
        if not _STREAMS.fullmatch(word.text):
            yield word, resolve(word, command.directory)


def _argument_paths(command: Command) -> Iterator[Word]:
    if command.name in _NO_PATHS:
        return
    expression = command.name in _EXPRESSIONS
    skip = False
    for word in command.arguments:
        if skip:
            skip = False
        elif word.text in _TEXT_OPTIONS:
            skip, expression = True, False
        elif word.text in ("-f", "--file"):
            # The expression is in the file that comes next.
            expression = False
        elif word.text.startswith("-"):
            option, _, value = word.text.partition("=")
            if value and option not in _TEXT_OPTIONS and looks_like_path(value):
                yield Word(value, word.exact)
            elif attached := _ATTACHED.match(word.text):
                yield Word(attached[1], word.exact)
        elif expression:
            expression = False
        elif command.name == "dd" and "=" in word.text:
            yield Word(word.text.partition("=")[2], word.exact)
        elif looks_like_path(word.text):
            yield word
            # "{/etc/hosts,x}" becomes several words.
            parts = re.split(r"[{},]", word.text) if not word.exact and "{" in word.text else ()
            yield from (Word(part) for part in parts if re.match(r"/|~", part))


def _redirected_paths(command: Command) -> Iterator[Word]:
    for redirection in command.redirections:
        # In "2>&1" the target is no file.
        copies = redirection.operator == ">&" and re.fullmatch(r"\d*-?", redirection.target.text)
        if redirection.operator in _TO_FILES and not copies:
            yield redirection.target


def looks_like_path(text: str) -> bool:
    """Return whether a word is written like a path, rather than like a name or an address."""
    # A program that opens "x://../a" as a file goes back from the folder "x:".
    if "\n" in text or (_URL.match(text) and ".." not in text.split("/")):
        return False
    return text in (".", "..") or text.startswith(("~", "$HOME", "${HOME}")) or "/" in text
