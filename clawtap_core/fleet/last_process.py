"""The process that was last present for this machine: after a crash it is known as our own."""

from __future__ import annotations

from pathlib import Path

from clawtap_core.system.atomic_file import replace_file

_BOOT = Path("/proc/sys/kernel/random/boot_id")


class LastProcess:
    """The mark of a process, in a file that tells nothing in a copy of its folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "fleet-process"
        # A copy has another inode; that of a whole disk has it in a system started on its own.
        self._place = f"{folder.stat().st_ino}@{_boot()}"

    def read(self) -> str:
        """Return the mark, or "" if this folder has no mark of its own."""
        try:
            place, process = self._path.read_text(encoding="ascii").split()
        except (OSError, ValueError):
            return ""
        return process if place == self._place else ""

    def write(self, process: str) -> None:
        """Keep a mark."""
        replace_file(self._path, f"{self._place} {process}\n".encode())


def _boot() -> str:
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return ""
