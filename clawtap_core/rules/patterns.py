"""Patterns of commands: "npm test", "git diff ...", parsed like the commands that they match.

"*" matches one argument that is not an option, "..." at the end any further arguments. Everything
else matches itself, word by word, never as a prefix.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from clawtap_core.commands import Command, Redirection, Word, parse
from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.rules.command_paths import is_stream

ONE, REST = "*", "..."
# Where a pattern starts; no folder has this name.
_START = "/\0"


@dataclass(frozen=True, slots=True)
class Match:
    """How a command matches a pattern: the words that only a wildcard stands for."""

    wild: tuple[Word, ...] = ()


@lru_cache(maxsize=1024)
def compile_pattern(text: str) -> tuple[Command, ...]:
    """Return the commands of a pattern; BadRequest for one that cannot be matched word by word."""
    script = parse(text, _START)
    problem = ""
    if script.unknown or script.constructs or not script.commands:
        what = (*script.unknown, *script.constructs, "no command")[0]
        problem = f"it has {what}"
    elif any(
        not word.exact and word.text != ONE
        for command in script.commands
        for word in _words_of(command)
    ):
        problem = "quote what the shell would expand, and write * or ... as words of their own"
    elif script.commands[0].program == REST or any(
        word.text == REST for each in script.commands for word in each.arguments[:-1]
    ):
        problem = "... is allowed at the end only, after a program"
    if problem:
        raise BadRequest(
            f"{text!r} is not a pattern of commands: {problem}", code=ErrorCode.BAD_RULE
        )
    return script.commands


def match_exactly(
    command: Command, patterns: Sequence[str], start: str | None = None
) -> Match | None:
    """Return how a command matches one of the patterns, word for word; None if it does not.

    `start` is where its line starts: after a `cd` in a pattern, a command has to run there.
    """
    for pattern in (each for text in patterns for each in compile_pattern(text)):
        if not _runs_there(command, pattern, start):
            continue
        wild = _matched_words(command, pattern)
        if wild is not None:
            return Match(wild)
    return None


def match_loosely(command: Command, patterns: Sequence[str]) -> bool:
    """Return whether a command does what a pattern names, whatever else is on its line.

    For rules that deny or ask: the program by its name, and the pattern's words in their order.
    """
    for pattern in (each for text in patterns for each in compile_pattern(text)):
        name = command.name.casefold()
        if fnmatchcase(name, pattern.name.casefold()) and _holds(command, pattern):
            return True
    return False


def _runs_there(command: Command, pattern: Command, start: str | None) -> bool:
    where = pattern.directory
    if where is None or where == _START or f"/{ONE}" in where:
        return True
    return command.directory == where.replace(_START, start or "", 1)


def _words_of(command: Command) -> tuple[Word, ...]:
    redirected = (each.target for each in command.redirections)
    return (Word(command.program), *command.arguments, *redirected)


def _matched_words(command: Command, pattern: Command) -> tuple[Word, ...] | None:
    # What runs a program, such as `sudo`, is a part of the command: a pattern has to name it.
    if command.program != pattern.program or command.wrappers != pattern.wrappers:
        return None
    # A redirection to a file writes it, so the pattern has to name that, too.
    if not {_redirected(each) for each in command.redirections} <= {
        _redirected(each) for each in pattern.redirections
    } | {None}:
        return None
    words, expected = list(command.arguments), list(pattern.arguments)
    wild: list[Word] = []
    for at, word in enumerate(expected):
        if word.text == REST and word.exact and at == len(expected) - 1:
            return (*wild, *words[at:])
        # What an expansion becomes is known to the shell only.
        if at >= len(words) or not words[at].exact:
            return None
        if word.text == ONE and not word.exact:
            # An option could change what the command does.
            if words[at].text.startswith("-"):
                return None
            wild.append(words[at])
        elif word.text != words[at].text:
            return None
    return tuple(wild) if len(words) == len(expected) else None


def _redirected(redirection: Redirection) -> tuple[str, str] | None:
    operator, target = redirection.operator, redirection.target
    return None if is_stream(operator, target.text) else (operator, target.text)


def _holds(command: Command, pattern: Command) -> bool:
    # One iterator for all words of the pattern, which keeps their order.
    texts = iter([word.text.casefold() for word in command.arguments])
    for word in pattern.arguments:
        if word.text == REST:
            return True
        if word.text == ONE and not word.exact:
            continue
        if not any(re.fullmatch(re.escape(word.text.casefold()), text) for text in texts):
            return False
    return True
