"""A command line, parsed: its programs with their arguments and redirections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """An argument without its quotes.

    `exact`: the shell passes exactly this text; otherwise an expansion or a glob, which is here
    as it was written, decides. `runs` names the programs of the word's own substitutions.
    """

    text: str
    exact: bool = True
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Redirection:
    """A redirection: its operator, such as ">" or "<<<", and its file or text."""

    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Command:
    """A program that runs, with the words after it.

    `wrappers` are the programs that run this one, such as sudo, env or xargs. `piped_from` are the
    programs before it in its pipeline. `directory` is where it runs; None where that is not known.
    """

    program: str
    arguments: tuple[Word, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    wrappers: tuple[str, ...] = ()
    piped_from: tuple[str, ...] = ()
    directory: str | None = None

    @property
    def name(self) -> str:
        """The program without its folder."""
        return self.program.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Script:
    """Every command of a command line, in order.

    `unknown` names what could not be followed, such as a syntax error or an `eval` of a variable:
    with any of these, the commands are not all that may run. `constructs` names what is more than
    a list of commands, such as a loop, a substitution or a variable that is set.
    """

    commands: tuple[Command, ...] = ()
    unknown: tuple[str, ...] = ()
    constructs: tuple[str, ...] = ()
