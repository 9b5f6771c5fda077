"""Static files under a digest of them all: cached for ever, and never stale."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

STATIC = Path(__file__).parent.parent / "static"
SHEETS = ("tokens", "base", "controls", "layout", "card", "content", "screen", "motion")
SHEET = "css/all.css"
"""One sheet made of them all, so that a page asks once."""


def digest(folder: Path = STATIC) -> str:
    """A short digest over every file of the folder, names included."""
    total = sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        total.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]
