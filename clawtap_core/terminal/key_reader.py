"""Which program of a pane reads its keys, where another one, such as `npx` or a script, runs it."""

from __future__ import annotations

import time

from clawtap_core.system.processes import age, has_executed, is_ending, lives, process, run_by
from clawtap_core.terminal.foreground import has_input

# Seconds from one look to the next while the screen changes.
_BETWEEN = 1.0
# Seconds in which a program ends, too, once the CLI that it ran is gone.
_FOLLOWS = 2.0
# Seconds after which a program is no helper that a CLI runs for a moment, as `stty`.
_LASTS = 1.0


class KeyReader:
    """The process of a pane's group that its keys are for.

    A wrapper outlives its CLI for a moment. It reads no keys: they would go to the shell behind it.
    A script may also start its CLI again and again: `ended` counts those that are over.
    """

    def __init__(self, group: int, tty: str) -> None:
        self._group, self._tty = group, tty
        # The reader, its name, and the processes in front of it with theirs.
        self._reader, self._name = group, ""
        self._front: dict[int, str] = {}
        self._looked = self._gone_at = float("-inf")
        self._lasting = 0
        self.ended = 0

    def look(self) -> None:
        """Learn who reads the keys, as the screen has changed; not each time."""
        if time.monotonic() - self._looked >= _BETWEEN:
            self._follow()

    @property
    def settles_in(self) -> float:
        """In how many seconds it will be known whether the reader is the CLI; 0 if it is."""
        return _BETWEEN if self._reader != self._group and not self._lasting else 0.0

    def is_gone(self) -> bool:
        """Return whether the reader has ended or is about to, whoever ran it."""
        if is_ending(self._group) or is_ending(self._reader):
            return True
        self.follow()
        return time.monotonic() - self._gone_at < _FOLLOWS

    def follow(self) -> None:
        """Learn who reads the keys now, where another program runs the CLI."""
        if self._reader != self._group:
            self._follow()

    def _note_end(self, reader: int) -> bool:
        """Return True if a CLI is over, and count it: what it drew may stand there for the next."""
        over = self._lasting > 0 and (is_ending(self._lasting) or not lives(self._lasting))
        if over:
            self._lasting = 0
            self.ended += 1
        if not self._lasting and reader != self._group and age(reader) >= _LASTS:
            self._lasting = reader
        return over

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
        over = self._note_end(reader)
        if reader == self._reader:
            return
        names = {pid: found.name for pid in front if (found := process(pid))}
        name = names.pop(reader, "")
        # A CLI may restart itself, and a script become the CLI or have only just started it.
        again = name == self._name if reader not in self._front else name != self._front[reader]
        becomes = again and reader in self._front
        # While the CLI lives, only what it ran for a moment has gone.
        ran_on = self._lasting > 0 or again or self._reader in front
        if (over and not becomes) or not ran_on:
            self._gone_at = now
        self._front, self._reader, self._name = names, reader, name
