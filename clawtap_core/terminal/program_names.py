"""The names by which a running program may be known: a CLI for Node runs as `node`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

_INTERPRETER = re.compile(
    r"node|nodejs|bun|deno|python[\d.]*|pypy[\d.]*|ruby|perl|bash|dash|sh|zsh"
)
# A word follows these, and is not the script: `node -r FILE script.js`, `python -W ignore x.py`.
_WITH_WORD = ("-r", "--require", "--import", "--loader", "-C", "--conditions", "-W", "-X")
_NO_SCRIPT = ("-c", "-e", "-p", "--eval", "--print")
_PACKAGES = "node_modules"
_SHELL = re.compile(r"-?(ba|da|a|z|k|mk|c|tc|fi)?sh|-?(nu|elvish|xonsh|pwsh)")


def program_names(command: str, argv: Sequence[str]) -> set[str]:
    """Return the names of a pane's program: its own, and those of the script that it runs.

    `command` is its name as tmux has it. A file argument is not a name of the program.
    """
    names = {PurePath(command).name}
    if argv:
        own = PurePath(argv[0]).name
        names.add(own)
        if _INTERPRETER.fullmatch(own):
            names.update(_script_names(argv[1:]))
    return names


def is_interactive_shell(argv: Sequence[str]) -> bool:
    """Return True for a shell that runs no script and no command, but waits for somebody's."""
    if not argv or not _SHELL.fullmatch(PurePath(argv[0]).name):
        return False
    return all(word.startswith("-") for word in argv[1:])


def _script_names(words: Sequence[str]) -> Iterator[str]:
    left = iter(words)
    for word in left:
        if word in _NO_SCRIPT:
            return
        if word == "-m":
            yield next(left, "")
            return
        if word in _WITH_WORD:
            next(left, None)
        elif not (word.startswith("-") or word == "run"):
            script = PurePath(word)
            yield script.name
            yield script.stem
            yield from _package(script.parts)
            return


def _package(parts: Sequence[str]) -> Iterator[str]:
    """Yield the name of the package that a script belongs to, without its scope."""
    if _PACKAGES in parts:
        last = len(parts) - 1 - parts[::-1].index(_PACKAGES)
        named = [part for part in parts[last + 1 : -1] if not part.startswith("@")]
        yield from named[:1]
