"""Guard rails: calls that no rule may allow, read from guard_rails.toml and the user's own."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, lru_cache
from importlib.resources import files

from clawtap_core.commands import Command, Script, risks
from clawtap_core.model import GuardRail
from clawtap_core.rules.command_paths import named_paths
from clawtap_core.rules.paths import NamedPath, home_folder, is_inside, matches, real_path
from clawtap_core.rules.tool_call import ToolCall
from clawtap_core.schemas import GuardBodySchema, read_body

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]


@cache
def default_guard_rails() -> tuple[GuardRail, ...]:
    """Return the guard rails that come with ClawTap."""
    text = files("clawtap_core.rules").joinpath("guard_rails.toml").read_text(encoding="utf-8")
    rails: list[GuardRail] = [
        read_body(GuardBodySchema, table) for table in tomllib.loads(text)["guard"]
    ]
    return tuple(rails)


@dataclass(frozen=True, slots=True)
class _Command:
    """A command of a call, as guard rails compare it; without one, a tool that names files."""

    call: ToolCall
    command: Command | None
    paths: tuple[NamedPath, ...]

    def crosses(self, rail: GuardRail) -> bool:
        """Return whether this matches everything that a guard rail lists."""
        if self.command is None:
            listed = rail.programs or rail.words or rail.arguments or rail.risks
            return not listed and _names_path(rail, self.paths, self.call.folder)
        if rail.programs and not _globs(rail.programs).fullmatch(
            normalized(self.command.name).casefold()
        ):
            return False
        texts = [normalized(word.text) for word in self.command.arguments]
        return (
            all(word in texts for word in rail.words)
            and (not rail.arguments or any(_is_listed(text, rail.arguments) for text in texts))
            and (not rail.paths or _names_path(rail, self.paths, self.call.folder))
            and (not rail.risks or _has_risk(rail, self.command, self.call))
        )


def crossed(call: ToolCall, guard_rails: Sequence[GuardRail]) -> list[GuardRail]:
    """Return the guard rails that a call crosses."""
    if call.script is None:
        commands = [_Command(call, None, call.paths)]
    else:
        commands = [_Command(call, each, tuple(named_paths(each))) for each in call.script.commands]
    return [rail for rail in guard_rails if any(each.crosses(rail) for each in commands)]


def _is_listed(text: str, arguments: tuple[str, ...]) -> bool:
    """Return whether an argument is among the listed ones, or is a short form of one."""
    option, mark, value = text.partition("=")
    if option.startswith("--"):
        # To npm "--script_shell" is "--script-shell".
        option = option.replace("_", "-")
    if _globs(arguments).fullmatch(option + mark + value):
        return True
    # Most programs take "--out" for "--output", as long as no other option begins like that.
    return len(option) > 2 and _long_options(arguments).find(f"\n{option}") >= 0


@lru_cache(maxsize=256)
def _long_options(arguments: tuple[str, ...]) -> str:
    """Return the names of the long options among the globs, each on a line of its own."""
    names = (re.split(r"[*?=\[]", glob, maxsplit=1)[0] for glob in arguments)
    return "".join(f"\n{name}" for name in names if re.match("--.", name))


def _has_risk(rail: GuardRail, command: Command, call: ToolCall) -> bool:
    marks = risks(Script((command,)), call.folder or None)
    return any(mark.value in rail.risks for mark in marks)


def _names_path(rail: GuardRail, paths: Sequence[NamedPath], folder: str) -> bool:
    named = {path for each in paths for path in (each.path, each.real) if path is not None}
    project = real_path(folder) if folder else ""
    if "." in rail.paths and named & {project, folder}:
        return True
    anywhere, places = _split(rail.paths)
    return any(
        matches(path, anywhere) or (_is_elsewhere(path, project) and matches(path, places))
        for path in named
    )


@lru_cache(maxsize=256)
def _split(globs: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the globs that hold anywhere, and those of places in the system and at home."""
    anywhere = tuple(glob for glob in globs if glob.startswith("**/"))
    return anywhere, tuple(glob for glob in globs if glob not in anywhere and glob != ".")


def _is_elsewhere(path: str, project: str) -> bool:
    """Return whether a path is outside the project, or the project holds the home folder."""
    below = path != project and is_inside(path, project)
    return not below or project.count("/") < 2 or is_inside(home_folder(), project)


@lru_cache(maxsize=256)
def _globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob) for glob in globs))


def normalized(text: str) -> str:
    """Return a text with look-alike characters replaced by the usual ones."""
    return unicodedata.normalize("NFKC", text)
