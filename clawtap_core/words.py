"""What an adapter knows of its CLI's wording, marks and timings: a table that a user can add to.

The package has it in `words.toml`; `adapters/NAME.toml` in the folder of the user's settings adds
to it, so that a CLI that changed a word is read again without a new release.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, cast

from clawtap_core.system.config_folder import config_folder
from clawtap_core.system.regular_file import open_regular

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

log = logging.getLogger(__name__)
FILE, FOLDER = "words.toml", "adapters"
MOST_BYTES, MOST_RULES, LONGEST = 100_000, 200, 1_000
LONGEST_TIMING = 10.0


class Matcher(Protocol):
    """A pattern of the table: the adapter's own, then those that the user added."""

    def match(self, string: str, /) -> re.Match[str] | None:
        """Match at the beginning."""

    def fullmatch(self, string: str, /) -> re.Match[str] | None:
        """Match the whole text."""

    def search(self, string: str, /) -> re.Match[str] | None:
        """Match anywhere."""


class _AnyOf:
    """The first match of several expressions, which are compiled when they are first used.

    A server has the tables of all adapters, and most of them are never used.
    """

    def __init__(self, expressions: Sequence[str]) -> None:
        self._expressions = expressions

    def __getattr__(self, method: str) -> Callable[[str], re.Match[str] | None]:
        """Return a method of `Matcher`, which the instance keeps: the next call is as fast."""
        one_of = [getattr(re.compile(text), method) for text in self._expressions]

        def any_of(string: str) -> re.Match[str] | None:
            return next(filter(None, (match(string) for match in one_of)), None)

        found: Callable[[str], re.Match[str] | None] = any_of if len(one_of) > 1 else one_of[0]
        setattr(self, method, found)
        return found


@dataclass(frozen=True)
class UserWords:
    """What a user's file adds: its rules by name, and sentences on those that were left out."""

    file: str
    rules: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Words:
    """An adapter's table. Names are `section.key` as in the file, without the kind before it."""

    own: Mapping[str, Any]
    added: Mapping[str, Any]

    def pattern(self, name: str) -> Matcher:
        """Return a regular expression of the table."""
        return cast("Matcher", _AnyOf(self._texts("patterns", name)))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return plain words of the table, the adapter's own first."""
        return tuple(self._texts("texts", name))

    def seconds(self, name: str) -> float:
        """Return a timing; the user's replaces the adapter's own."""
        key = f"timings.{name}"
        return float(self.added.get(key, self.own[key]))

    def _texts(self, kind: str, name: str) -> list[str]:
        key = f"{kind}.{name}"
        return [*_listed(self.own[key]), *self.added.get(key, ())]


# What each adapter got from its user's file, by the name of its package.
USER_WORDS: dict[str, UserWords] = {}


def load_words(package: str, adapter: str, folder: Path | None = None) -> Words:
    """Return the table of a package, with what `adapters/ADAPTER.toml` of the user adds to it.

    A file or a rule that is wrong is left out, and said in `clawtap plugins`.
    """
    own = _flat(tomllib.loads(resources.files(package).joinpath(FILE).read_text("utf-8")))
    file = (folder or config_folder()) / FOLDER / f"{adapter}.toml"
    USER_WORDS.pop(package, None)
    added: dict[str, Any] = {}
    errors: list[str] = []
    try:
        written = _flat(_read(file))
    except (FileNotFoundError, NotADirectoryError):
        return Words(own, added)
    except (OSError, ValueError) as error:
        written, errors = {}, [f"it was not read: {error}"]
    except RecursionError:
        written, errors = {}, ["it was not read: it is nested too deeply"]
    if len(written) > MOST_RULES:
        written, errors = {}, [f"it has more than {MOST_RULES} rules"]
    for name, value in written.items():
        if problem := _problem(name, value, own):
            errors.append(f"{name} {problem}")
        else:
            added[name] = value if name.startswith("timings.") else _listed(value)
    USER_WORDS[package] = UserWords(str(file), tuple(added), tuple(errors))
    for problem in errors:
        log.warning("left out of %s: %s", file, problem)
    return Words(own, added)


def unread_files() -> list[Path]:
    """Return the user's tables that no loaded adapter has read; a name may be misspelt."""
    read = {words.file for words in USER_WORDS.values()}
    files = sorted((config_folder() / FOLDER).glob("*.toml"))
    return [file for file in files if str(file) not in read]


def _read(file: Path) -> dict[str, Any]:
    with open_regular(file) as opened:
        # One byte more tells a file at the limit from a larger one.
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES} bytes")
    table: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
    return table


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return the values of nested tables by their dotted names."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{before}{key}."))
        else:
            flat[f"{before}{key}"] = value
    return flat


def _problem(name: str, value: Any, own: Mapping[str, Any]) -> str:
    """Return why a user's rule cannot be used, or ""."""
    if name not in own:
        return "is not in this adapter's table"
    kind = name.partition(".")[0]
    if kind == "timings":
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = number and 0 <= value <= LONGEST_TIMING
        return "" if fits else f"must be a number of seconds from 0 to {LONGEST_TIMING:g}"
    texts = _listed(value)
    if not texts or not all(isinstance(text, str) and 0 < len(text) <= LONGEST for text in texts):
        return f"must be a text, or a list of texts, of 1 to {LONGEST} characters"
    if kind == "texts":
        return ""
    own_pattern = re.compile(_listed(own[name])[0])
    return next(filter(None, (_pattern_problem(text, own_pattern) for text in texts)), "")


def _pattern_problem(text: str, own_pattern: re.Pattern[str]) -> str:
    try:
        pattern = re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a regular expression: {error}"
    if missing := sorted(set(own_pattern.groupindex) - set(pattern.groupindex)):
        return f"lacks the group (?P<{missing[0]}>…)"
    # Such a pattern would be found on every screen.
    if pattern.fullmatch("") and not own_pattern.fullmatch(""):
        return "would match an empty row"
    return ""


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]
