"""Whether a CLI has lent its terminal to another program, as to the editor that Ctrl+G opens."""

from __future__ import annotations

import time
from collections.abc import Iterator, Set

from clawtap_core.system.processes import children_in_group, has_executed
from clawtap_core.terminal.foreground import has_input

# Seconds between two looks at the processes.
_BETWEEN_SCREENS = 5.0
_BETWEEN_CHECKS = 0.5


class TerminalLoan:
    """The programs of a pane's group whose input is its terminal.

    Those that had it while the CLI showed its own screen are the CLI, and what wraps it.
    """

    def __init__(self, group: int, tty: str) -> None:
        self._group, self._tty = group, tty
        self._own: frozenset[int] | None = None
        self._lent = False
        self._noted = self._checked = float("-inf")

    def returned(self) -> None:
        """Note that the CLI shows its own screen."""
        now = time.monotonic()
        if self._lent or now - self._noted >= _BETWEEN_SCREENS:
            self._own, self._lent, self._noted = frozenset(self._at_terminal()), False, now

    def is_lent(self) -> bool:
        """Return whether another program has the terminal; False before the CLI was seen."""
        now = time.monotonic()
        # Until it is lent each look counts: it may have just been.
        due = not self._lent or now - self._checked >= _BETWEEN_CHECKS
        if self._own is not None and due:
            self._lent, self._checked = self._is_lent(self._own, set(self._at_terminal())), now
        return self._lent

    def _is_lent(self, own: Set[int], there: Set[int]) -> bool:
        # Without the CLI, what has come is another CLI that its script has started.
        cli_is_there = own <= {self._group} or bool((own & there) - {self._group})
        return cli_is_there and not there <= own

    def _at_terminal(self) -> Iterator[int]:
        found = [self._group]
        for pid in found:
            found += children_in_group(pid, self._group)
            # What a CLI starts for itself has pipes: a tool, a hook, an MCP server. Until it
            # executes, it has the files of the CLI.
            if has_executed(pid) and has_input(pid, self._tty):
                yield pid
