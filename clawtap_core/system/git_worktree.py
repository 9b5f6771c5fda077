"""Which folders are working trees of one Git repository."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from clawtap_core.system.regular_file import open_regular

_LONGEST = 4096
_LINK = re.compile(r"gitdir: (?P<path>[^\0\n]+)\n?\Z")


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """A folder with files under version control, and the Git folder that its siblings share."""

    root: Path
    repository: Path

    def is_beside(self, other: WorkingTree | None) -> bool:
        """Return True if both are working trees of one repository, and not the same one."""
        return other is not None and self != other and self.repository == other.repository


def working_tree(folder: str) -> WorkingTree | None:
    """Return the working tree that a folder is in, or None."""
    try:
        here = Path(os.path.realpath(folder))
    except ValueError:  # a transcript may name anything
        return None
    for root in (here, *here.parents):
        git = root / ".git"
        if git.is_dir():
            return WorkingTree(root, git)
        if link := _LINK.match(_beginning(git)):
            own = Path(os.path.realpath(root / link["path"]))
            # That of a linked working tree is REPOSITORY/worktrees/NAME.
            shared = own.parent.parent if own.parent.name == "worktrees" else own
            return WorkingTree(root, shared)
    return None


def _beginning(path: Path) -> str:
    try:
        with open_regular(path) as file:
            return file.read(_LONGEST).decode()
    except (OSError, UnicodeDecodeError):
        return ""
