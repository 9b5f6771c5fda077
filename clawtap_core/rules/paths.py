"""Paths as rules see them: absolute, with links followed, and globs over them."""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass
from functools import lru_cache

_PIECE = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|[^*?/]+|/")
_WILD = frozenset(("**/", "/**", "**", "*", "?"))


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A path that a call names: as written, as text without "..", and with its links followed.

    `path` and `real` are None where only an expansion decides; `real` alone is None where ".."
    after a link means one place to the system, and another to who reads the text.
    """

    written: str
    path: str | None
    real: str | None

    @classmethod
    def of(cls, written: str, path: str | None, directory: str | None) -> NamedPath:
        """Return a path, named in a directory, with its links followed as far as they exist."""
        real = real_path(path) if path else None
        if ".." in written.split("/"):
            literal = os.path.expanduser(written)  # noqa: PTH111 - Path drops what links decide
            if real_path(posixpath.join(directory or "/", literal)) != real:
                real = None
        return cls(written, path, real)


def real_path(path: str) -> str:
    """Return a path with its links followed; what does not exist stays as it is."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a loop of links, or a path that no file can have
        return path


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is this folder or is below it, as text."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def leaves(named: NamedPath, folder: str) -> bool:
    """Return whether a path, or where its links lead, is outside a folder, or is not known."""
    if named.path is None or named.real is None:
        return True
    return not (
        is_inside(named.path, folder) or is_inside(named.path, real_path(folder))
    ) or not is_inside(named.real, real_path(folder))


def escapes(named: NamedPath, folder: str) -> bool:
    """Return whether a path reads as if it were inside, and a link leads outside."""
    reads_inside = named.path is not None and is_inside(named.path, folder)
    return reads_inside and leaves(named, folder)


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Return whether an absolute path matches a glob; "FOLDER/**" is the folder, and all in it.

    Letters match in upper and lower case, since many disks do not tell them apart.
    """
    folded = path.casefold()
    return any(_fits(folded, pieces) for pieces in _in_pieces(globs, home_folder()))


def home_folder() -> str:
    """Return the user's home folder."""
    return os.path.expanduser("~")  # noqa: PTH111 - called often, and faster than Path.home


@lru_cache(maxsize=1024)
def _in_pieces(globs: tuple[str, ...], home: str) -> tuple[tuple[str, ...], ...]:
    whole = (f"{home}{glob[1:]}" if re.match(r"~(/|$)", glob) else glob for glob in globs)
    return tuple(tuple(_PIECE.findall(glob.casefold())) for glob in whole)


def _fits(path: str, pieces: tuple[str, ...]) -> bool:
    """Return whether the pieces of a glob are the whole path.

    Not with a regular expression: one that backtracks takes years for a dozen wildcards.
    """
    if not all(piece in _WILD or piece in path for piece in pieces):
        return False
    ends = {0}
    for piece in pieces:
        ends = _ends(path, piece, ends)
        if not ends:
            return False
    return len(path) in ends


def _ends(path: str, piece: str, starts: set[int]) -> set[int]:
    """Return where a piece of a glob may end that begins at one of some places."""
    first, end = min(starts), len(path)
    if piece == "**":
        return set(range(first, end + 1))
    if piece == "**/":
        return starts | {at + 1 for at in range(first, end) if path[at] == "/"}
    if piece == "/**":
        return starts | {end for at in starts if path.startswith("/", at)}
    if piece == "?":
        return {at + 1 for at in starts if at < end and path[at] != "/"}
    if piece != "*":
        return {at + len(piece) for at in starts if path.startswith(piece, at)}
    ends: set[int] = set()
    for at in range(first, end + 1):
        if at in starts or (at - 1 in ends and path[at - 1] != "/"):
            ends.add(at)
    return ends
