"""The TCP ports that a program listens on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from clawtap_core.system.processes import group_members, has_proc, program_output

_PROC = Path("/proc")
_TABLES = ("tcp", "tcp6")
_LISTENING = "0A"
# 127.0.0.1 and any address, in the kernel's hexadecimal.
_ADDRESSES = ("0100007F", "0" * 8, "0" * 32)
_SECONDS = 5.0


def listening_ports(group: int) -> frozenset[int]:
    """Return the ports that the processes of this group listen on, as seen from 127.0.0.1."""
    return frozenset(_from_proc(group) if has_proc() else _from_lsof(group))


def _from_proc(group: int) -> Iterator[int]:
    sockets = {inode for pid in group_members(group) for inode in _sockets(pid)}
    for table in _TABLES if sockets else ():
        try:
            rows = (_PROC / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for fields in map(str.split, rows):
            address, _, port = fields[1].partition(":")
            if fields[3] == _LISTENING and fields[9] in sockets and address in _ADDRESSES:
                yield int(port, 16)


def _sockets(pid: int) -> Iterator[str]:
    """Yield the inodes of a process's sockets; files may come and go, and it may end meanwhile."""
    try:
        files = list((_PROC / str(pid) / "fd").iterdir())
    except OSError:
        return
    for file in files:
        with suppress(OSError):
            kind, _, inode = str(file.readlink()).partition(":")
            if kind == "socket":
                yield inode.strip("[]")


def _from_lsof(group: int) -> Iterator[int]:
    # macOS has it; each name is in a line of its own, after an "n".
    argv = ("lsof", "-nP", "-a", "-g", str(group), "-iTCP", "-sTCP:LISTEN", "-Fn")
    for line in (program_output(*argv, seconds=_SECONDS) or "").splitlines():
        address, _, port = line[1:].rpartition(":")
        if line.startswith("n") and address in ("127.0.0.1", "*") and port.isdigit():
            yield int(port)
