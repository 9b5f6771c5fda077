"""The digest of the static files, which is part of their address: they are cached forever."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

STATIC = Path(__file__).parent.parent / "static"


def digest(folder: Path = STATIC) -> str:
    """Return a short digest of every file of the folder, names included."""
    total = sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        total.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]
