"""What a change costs at the end of a long transcript that is rewritten each time."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from clawtap_gemini import parse_transcript

from bench.figure import Figure
from clawtap_core.transcripts.cpu_budget import CpuBudget
from clawtap_core.transcripts.reader import RewrittenFile

SAMPLE = (
    Path(__file__).parents[1] / "plugins/clawtap-gemini/tests/transcripts/0.34.0"
    "/after-resume-session-2026-11-21T20-40-4b21b844.json"
)
OUTPUT = 4000
"""Recorded texts were cut short; a tool's output has this many characters in a real file."""


def rewritten(size: int, rounds: int) -> Figure:
    """CPU for a message more, against that of reading the whole file."""
    records = _records(size * 1_000_000)
    with tempfile.TemporaryDirectory(prefix="clawtap-bench-") as folder:
        path = Path(folder) / "long.json"
        # By a clock that stands still every change is read at once, whatever it costs.
        file = RewrittenFile(path, parse_transcript, pace=CpuBudget(lambda: 0.0))
        whole = _read(path, records, file)
        took = [_read(path, _longer(records, number), file) for number in range(rounds)]
    note = "CPU, against reading the whole file; it may take a tenth of a core at most"
    what = f"a change at the end of {size} MB rewritten"
    return Figure("rewritten", what, statistics.median(took), whole, "ms", 3, note)


def _read(path: Path, records: list[Any], file: RewrittenFile) -> float:
    path.write_text(json.dumps({"sessionId": "s", "messages": records}, indent=1))
    start = time.process_time()
    assert list(file.read())
    return 1e3 * (time.process_time() - start)


def _longer(records: list[Any], number: int) -> list[Any]:
    records.append({"id": f"said-{number}", "type": "user", "content": f"go on {number}"})
    return records


def _records(size: int) -> list[Any]:
    """A real conversation again and again, each time with ids of its own, up to a size."""
    text = json.dumps([_long(record) for record in json.loads(SAMPLE.read_bytes())["messages"]])
    count = size // len(text) + 1
    return [each for number in range(count) for each in _numbered(text, number)]


def _long(record: dict[str, Any]) -> dict[str, Any]:
    for call in record.get("toolCalls", ()):
        for part in call["result"]:
            reported = part["functionResponse"]["response"]
            if isinstance(reported.get("output"), str):
                reported["output"] = (reported["output"] * OUTPUT)[:OUTPUT]
    return record


def _numbered(text: str, number: int) -> list[Any]:
    records: list[Any] = json.loads(text)
    return [{**record, "id": f"{number}-{record['id']}"} for record in records]
