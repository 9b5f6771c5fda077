"""How long it takes from a painted prompt to its event, and from an answer to its outcome."""

from __future__ import annotations

import math
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from clilab.desk import Seat

_CONTROL = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b.|\s")


class PaneOutput:
    """What a program writes to its pane, with the time of each piece."""

    def __init__(self, seat: Seat, path: Path) -> None:
        os.mkfifo(path)
        self._seat = seat
        self._pieces: list[tuple[float, str]] = []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, args=(path,), daemon=True)
        self._thread.start()
        seat.desk.tmux("pipe-pane", "-O", "-t", seat.pane, f"exec cat > '{path}'")

    def begin(self) -> None:
        """Forget what was written so far."""
        with self._changed:
            self._pieces.clear()

    def painted(self, words: str, seconds: float = 45.0) -> float:
        """Return when these words, without blanks, had been written."""

        def time_of() -> float | None:
            text = ""
            for at, piece in self._pieces:
                text += piece
                if words in _CONTROL.sub("", text):
                    return at
            return None

        with self._changed:
            at = self._changed.wait_for(time_of, seconds)
        assert at, f"{words} was not written"
        return at

    def close(self) -> None:
        """Stop reading."""
        self._seat.desk.tmux("pipe-pane", "-t", self._seat.pane)
        self._thread.join(60)

    def _read(self, path: Path) -> None:
        with path.open("rb", buffering=0) as pipe:
            while data := pipe.read(65536):
                with self._changed:
                    self._pieces.append((time.monotonic(), data.decode(errors="replace")))
                    self._changed.notify_all()


@contextmanager
def output_of(seat: Seat, folder: Path) -> Iterator[PaneOutput]:
    """Yield what the pane's program writes from now on."""
    output = PaneOutput(seat, folder / f"pane-{seat.pane.strip('%')}.fifo")
    try:
        yield output
    finally:
        output.close()


def percentile(seconds: Sequence[float], share: float) -> float:
    """Return the value that this share of the samples does not exceed."""
    ordered = sorted(seconds)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


def in_words(what: str, seconds: Sequence[float]) -> str:
    """Return p50, p99 and the longest of some samples, in milliseconds."""
    values = (percentile(seconds, 0.5), percentile(seconds, 0.99), max(seconds))
    p50, p99, longest = (f"{value * 1000:.0f}" for value in values)
    return f"{what}: p50 {p50} ms, p99 {p99} ms, longest {longest} ms ({len(seconds)} samples)"
