"""Interpreters whose programs are not followed, such as Python and Awk."""

from __future__ import annotations

import re

from clawtap_core.commands.values import Command
from clawtap_core.commands.wrappers import has_code, runs_stdin

_LANGUAGES = {
    "Python": r"python[\d.]*|pypy[\d.]*",
    "Perl": r"perl[\d.]*",
    "Ruby": r"ruby[\d.]*",
    "JavaScript": r"node|nodejs|deno|bun",
    "Lua": r"lua[\d.]*|luajit",
    "PHP": r"php[\d.]*",
    "AppleScript": r"osascript",
}
# Only imports of the interpreter's own modules and prints without a call.
_STATEMENT = r"(?:import (?:sys|json|os|platform)|(?:print|console\.log)\([\w\s.,+*/%'-]*\))"
_HARMLESS = re.compile(rf"\s*{_STATEMENT}(?:\s*;\s*{_STATEMENT})*\s*;?\s*")
_AWK_RUNS = re.compile(r"system\s*\(|(?<!\|)\|(?!\|)|>\s*\"")


def language(name: str) -> str | None:
    """Return the language of an interpreter, by the name of its program."""
    return next((each for each, names in _LANGUAGES.items() if re.fullmatch(names, name)), None)


def inline_program(command: Command) -> str | None:
    """Name the program that is on the command line or comes in, unless it is harmless."""
    if command.name in ("awk", "gawk", "mawk", "nawk"):
        runs = any(_AWK_RUNS.search(word.text) for word in command.arguments)
        return "a program in Awk" if runs else None
    spoken = language(command.name)
    if spoken is None:
        return None
    if has_code(command):
        harmless = any(word.exact and _HARMLESS.fullmatch(word.text) for word in command.arguments)
        return None if harmless else f"a program in {spoken}"
    # A bare name, such as "python --version", reads nothing worth a mark.
    reads = bool(command.piped_from or command.redirections) and runs_stdin(command)
    return f"a program in {spoken}" if reads else None
