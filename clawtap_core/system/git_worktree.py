"""Which folders are working trees of one Git repository."""

from __future__ import annotations

import os
import re
from pathlib import Path

from clawtap_core.system.regular_file import open_regular

_LONGEST = 4096
_LINK = re.compile(r"gitdir: (?P<path>.+?)\n?\Z")


def repository_of(folder: str) -> Path | None:
    """Return the Git folder that all working trees of a folder's repository share, or None."""
    here = Path(os.path.realpath(folder))
    for parent in (here, *here.parents):
        git = parent / ".git"
        if git.is_dir():
            return git
        if link := _LINK.match(_beginning(git)):
            own = Path(os.path.realpath(parent / link["path"]))
            # That of a linked working tree is REPOSITORY/worktrees/NAME.
            return own.parent.parent if own.parent.name == "worktrees" else own
    return None


def _beginning(path: Path) -> str:
    try:
        with open_regular(path) as file:
            return file.read(_LONGEST).decode()
    except (OSError, UnicodeDecodeError):
        return ""
