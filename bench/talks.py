"""How long it takes from a record in a transcript to the event, and what long transcripts cost."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from clawtap_claude import parse_transcript

from bench import cpu
from bench.figure import Figure
from bench.ground import Ground, ground
from clawtap_core.model import TranscriptInfo
from clawtap_core.testing import Events
from clawtap_core.transcripts.pages import Pages, read_end
from clawtap_core.transcripts.transcript import Transcript

MB = 1_000_000
SAMPLE = (
    Path(__file__).parents[1]
    / "plugins/clawtap-claude/tests/transcripts/2.1.330/aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee.jsonl"
)
OUTPUT = 4000
"""Recorded texts were cut short; a tool's output has this many characters in a real file."""


def appended(rounds: int) -> Figure:
    """A record is appended at 100 MB: until an SSE client has the message."""
    with _followed(100 * MB) as (_, path, events):
        took = [_append(path, events, number) for number in range(rounds)]
    note = f"{len(took)} records; against the limit of 20 ms"
    return Figure("appended", "record at 100 MB → event", _median(took), 20.0, "ms", 1, note)


def record(rounds: int) -> Figure:
    """CPU of the server for a record, in a file of 100 MB and in one of 1 MB."""
    large, small = (_cpu(size, rounds * 10) for size in (100 * MB, MB))
    note = "the same at 1 MB; nearly equal is the target"
    return Figure("record", "CPU per record at 100 MB", large, small, "ms", 0.6, note)


def parsed(size: int) -> Figure:
    """A transcript is parsed whole."""
    path = _file(Path(_folder()), size * MB)
    transcript = _transcript(path)
    start = time.process_time()
    read_end(transcript, parse_transcript, transcript.size)
    took = time.process_time() - start
    path.unlink()
    note = f"{size / took:.0f} MB/s; against the limit of 100 MB/s"
    return Figure("parsed", f"{size} MB parsed", took, size / 100, "s", 1, note)


def opened(size: int) -> Figure:
    """A transcript is opened at its end, and 50 messages are there."""
    path = _file(Path(_folder()), size * MB)
    start = time.perf_counter()
    messages, _ = Pages(_transcript(path), parse_transcript).last(50)
    took = 1e3 * (time.perf_counter() - start)
    path.unlink()
    note = f"{len(messages)} messages; against a second"
    return Figure("opened", f"{size} MB opened at its end", took, 1000.0, "ms", 4, note)


def _transcript(path: Path) -> Transcript:
    now = datetime.now(timezone.utc)
    return Transcript(path, TranscriptInfo(path.stem, None), False, path.stat().st_size, now)


@contextmanager
def _followed(size: int) -> Iterator[tuple[Ground, Path, Events]]:
    with ground() as place:
        talks = place.folder / "home" / "talks"
        talks.mkdir(parents=True)
        path = _file(talks, size)
        body = {"adapter": "bench", "cwd": str(place.folder), "resume": path.stem}
        session = place.client.post("/api/sessions", body).body["id"]
        place.sessions.append(session)
        events = place.client.events()
        _append(path, events, 10**6)
        yield place, path, events
        events.close()


def _append(path: Path, events: Events, number: int) -> float:
    """Milliseconds from the record to its event."""
    name = f"appended-{number}"
    line = {"type": "user", "uuid": name, "message": {"role": "user", "content": "go on"}}
    before = time.monotonic()
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    event = events.wait("message", where=lambda data: data["id"] == name, seconds=30)
    return 1e3 * (event.at - before)


def _cpu(size: int, rounds: int) -> float:
    """Milliseconds of the server's CPU for a record."""
    with _followed(size) as (place, path, events):
        before = cpu.used(place.pid)
        for number in range(rounds):
            _append(path, events, number)
        return 1e3 * (cpu.used(place.pid) - before) / rounds


def _file(folder: Path, size: int) -> Path:
    """A real transcript again and again, each time with ids of its own, up to a size."""
    path, lines = folder / "long.jsonl", SAMPLE.read_text(encoding="utf-8").splitlines()
    records = [_long(json.loads(line)) for line in lines]
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < size:
            for each in records:
                file.write(_numbered(each, number))
            number += 1
    return path


def _long(record: dict[str, Any]) -> str:
    content = (record.get("message") or {}).get("content")
    for piece in content if isinstance(content, list) else ():
        if piece.get("type") == "tool_result" and isinstance(piece.get("content"), str):
            piece["content"] = (piece["content"] * OUTPUT)[:OUTPUT]
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _numbered(record: str, number: int) -> str:
    reported = record.replace('"msg_', f'"msg_{number}_').replace('"toolu_', f'"toolu_{number}_')
    return reported.replace('"uuid":"', f'"uuid":"{number}-') + "\n"


def _folder() -> str:
    import tempfile

    return tempfile.mkdtemp(prefix="clawtap-bench-")


def _median(values: list[float]) -> float:
    return statistics.median(values)
