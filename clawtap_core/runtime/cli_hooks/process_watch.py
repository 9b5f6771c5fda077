"""Watch the processes of CLIs that are known by hooks alone: a killed CLI reports nothing."""

from __future__ import annotations

from collections.abc import Callable

from clawtap_core.cli_hooks.calling_process import caller
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.system.exit_watch import ExitWatch
from clawtap_core.system.processes import KnownProcess


class ProcessWatch:
    """Calls `gone` with a session whose process ended: at once on Linux, else after a restart."""

    def __init__(self, store: StateStore, gone: Callable[[str], None]) -> None:
        self._store = store
        self._gone = gone
        self._exits = ExitWatch()

    def watch(self, session_id: str, pid: int) -> None:
        """Watch the process that ran a hook of this session, directly or by a shell."""
        process = caller(pid)
        if process and process.note != self._store.marker(session_id, "hookprocess"):
            self._store.mark(session_id, "hookprocess", process.note, happened=True)
            self._watch(session_id, process)

    def recover(self, session_id: str) -> None:
        """Watch the process of the last run."""
        note = self._store.marker(session_id, "hookprocess")
        if note and (found := KnownProcess.noted(note)):
            self._watch(session_id, found)

    def forget(self, session_id: str) -> None:
        """Stop watching a session."""
        self._exits.remove(session_id)

    def close(self) -> None:
        """Stop watching."""
        self._exits.close()

    def _watch(self, session_id: str, process: KnownProcess) -> None:
        self._exits.remove(session_id)
        self._exits.add(session_id, process.pid, lambda: self._gone(session_id))
        # The process may have ended meanwhile, and its number may belong to another one.
        if not process.lives():
            self._exits.remove(session_id)
            self._gone(session_id)
