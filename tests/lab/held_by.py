"""What a process holds, from /proc."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Held:
    """What a process holds: MB of memory, descriptors, threads."""

    memory: float
    descriptors: int
    threads: int

    @classmethod
    def by(cls, pid):
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
        fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
        memory = int(fields["VmRSS"].split()[0]) / 1024
        return cls(memory, len(list(Path(f"/proc/{pid}/fd").iterdir())), int(fields["Threads"]))

    def level_with(self, before, *, memory, descriptors=2):
        return (
            self.memory <= before.memory + memory
            and self.descriptors <= before.descriptors + descriptors
            and self.threads <= before.threads + 2
        )
