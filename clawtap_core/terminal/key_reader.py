"""Which program of a pane reads its keys, where another one, such as `npx` or a script, runs it."""

from __future__ import annotations

import time

from clawtap_core.system.processes import has_executed, is_ending, process, run_by
from clawtap_core.terminal.foreground import has_input

# Seconds from one look to the next while the screen changes.
_BETWEEN = 1.0
# Seconds in which a program ends, too, once the CLI that it ran is gone.
_FOLLOWS = 2.0


class KeyReader:
    """The process of a pane's group that its keys are for.

    A wrapper outlives its CLI for a moment. It reads no keys: they would go to the shell behind it.
    """

    def __init__(self, group: int, tty: str) -> None:
        self._group, self._tty = group, tty
        # The reader, its name, and the processes in front of it with theirs.
        self._reader, self._name = group, ""
        self._front: dict[int, str] = {}
        self._looked = self._gone_at = float("-inf")

    def look(self) -> None:
        """Learn who reads the keys, as the screen has changed; not each time."""
        if time.monotonic() - self._looked >= _BETWEEN:
            self._follow()

    def is_gone(self) -> bool:
        """Return whether the reader has ended or is about to, whoever ran it."""
        if is_ending(self._group) or is_ending(self._reader):
            return True
        if self._reader != self._group:
            self._follow()
        return time.monotonic() - self._gone_at < _FOLLOWS

    def _follow(self) -> None:
        self._looked = now = time.monotonic()
        # What a CLI starts for itself has pipes: a tool, a hook, an MCP server. Until it executes,
        # it has the files of the CLI.
        front = (
            self._group,
            *(
                pid
                for pid in run_by(self._group)
                if has_executed(pid) and has_input(pid, self._tty)
            ),
        )
        reader = front[-1]
        if reader == self._reader:
            return
        names = {pid: found.name for pid in front if (found := process(pid))}
        name = names.pop(reader, "")
        # A CLI may restart itself, and a script become the CLI or have only just started it.
        again = name == self._name if reader not in self._front else name != self._front[reader]
        if not (again or self._reader in front):
            self._gone_at = now
        self._front, self._reader, self._name = names, reader, name
