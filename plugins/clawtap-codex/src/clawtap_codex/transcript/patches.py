"""Codex's own form of a patch, as a unified diff."""

from __future__ import annotations

_UPDATE, _ADD = "*** Update File: ", "*** Add File: "
_DELETE, _MOVE = "*** Delete File: ", "*** Move to: "


def unified(patch: str) -> str | None:
    """The diff that a patch stands for; None where it is no patch."""
    if "*** Begin Patch" not in patch:
        return None
    found: list[str] = []
    for line in patch.splitlines():
        found += _line(line)
    return "\n".join(found) + "\n" if found else None


def _line(line: str) -> list[str]:
    if line.startswith(_UPDATE):
        return [f"--- {line[len(_UPDATE) :]}", f"+++ {line[len(_UPDATE) :]}"]
    if line.startswith(_ADD):
        return ["--- /dev/null", f"+++ {line[len(_ADD) :]}", "@@"]
    if line.startswith(_DELETE):
        return [f"--- {line[len(_DELETE) :]}", "+++ /dev/null"]
    if line.startswith(_MOVE):
        return [f"+++ {line[len(_MOVE) :]}"]
    return [] if line.startswith("***") else [line]
