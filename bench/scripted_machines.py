"""Machines of a fleet in one process, with sessions that nothing runs in.

scripted_machines.py FOLDER MACHINES SESSIONS   reads commands from stdin, and answers each by a
line: `change N` gives N sessions of each machine another title, `end` ends it.
"""

from __future__ import annotations

import sys
from datetime import datetime, timezone
from pathlib import Path

from clawtap_core.config import Settings
from clawtap_core.fleet.key_file import FleetKey, read_key, write_key
from clawtap_core.fleet.service import Fleet
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Session, SessionState
from clawtap_core.runtime import Runtime
from clawtap_core.runtime.hub import NoTerminal


class ScriptedMachine:
    """One machine; its fleet key is in its folder."""

    def __init__(self, folder: Path, name: str, key: FleetKey, sessions: int) -> None:
        self.runtime = Runtime(Host(), NoTerminal(), MemoryJournal(), env={})
        now = datetime.now(timezone.utc)
        for number in range(sessions):
            title = f"Session {number} of {name}"
            session = Session(
                f"{name}s{number}", "bench", "external", "test", "/project", title, now, now
            )
            self.runtime.store.add_session(session)
        self._name, self._sessions, self._changes = name, sessions, 0
        settings = Settings(data_dir=folder / name, machine_name=name)
        settings.data_dir.mkdir(parents=True, mode=0o700)
        write_key(settings.fleet_key, key)
        self.fleet = Fleet(settings, read_key(settings), self.runtime)
        self.fleet.start()

    def change(self) -> None:
        """Change a session, which is one event."""
        self._changes += 1
        self.runtime.store.change_session(
            f"{self._name}s{self._changes % self._sessions}",
            title=f"Change {self._changes}",
            state=SessionState.IDLE,
        )

    def close(self) -> None:
        """Leave."""
        self.runtime.close()
        self.fleet.close()


def main() -> None:
    """Do what stdin says."""
    folder, machines, sessions = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    key = read_key(Settings(data_dir=folder))
    all_ = [ScriptedMachine(folder, f"m{n}", key, sessions) for n in range(machines)]
    print("started", flush=True)
    for line in sys.stdin:
        if line.startswith("end"):
            break
        for _ in range(int(line.split()[1])):
            for each in all_:
                each.change()
        print("done", flush=True)
    for each in all_:
        each.close()


if __name__ == "__main__":
    main()
