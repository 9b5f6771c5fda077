"""What happened, as JSON lines with a monotonic time: for tests and benchmarks."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any


class Log:
    """A log file; without a path nothing is written."""

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None

    def write(self, event: str, **fields: Any) -> None:
        """Write one line: the time (time.monotonic), the event and its fields."""
        if self._path:
            line = {"t": time.monotonic(), "event": event, **fields}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
