"""What reading a screen costs: detect_prompt and detect_state on every recording of real CLIs."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from bench.figure import Figure
from clawtap_core.host import Adapter, Host
from clawtap_core.model import Screen
from clawtap_core.testing.recordings import Recording

CLIS = ("claude", "codex", "gemini")
T = TypeVar("T")
_PLUGINS = Path(__file__).parents[1] / "plugins"
_WORDS = (
    *("Allow", "Yes", "No", "Esc", "Enter", "Working"),
    *("Thinking", "Error", "shell", "trust", "tokens", "model"),
)
_PATTERNS = [re.compile(rf"^.*\b{word}\b.*$", re.MULTILINE | re.IGNORECASE) for word in _WORDS]


def detect(rounds: int) -> Figure:
    """Read each screen after one in which one row differed, against twelve searches in its text."""
    host = Host.installed(limit=_unlimited)
    ours, theirs = [], []
    for cli in CLIS:
        adapter = host.adapter(cli)
        for screen in recordings(cli):
            _read(adapter, screen)
            frames = [_next_frame(screen, number) for number in range(rounds)]
            ours.append(min(_timed(_read, adapter, frame) for frame in frames))
            theirs.append(min(_timed(_search, frame.text) for frame in frames))
    slow = sorted(ours)[int(0.99 * len(ours))]
    note = f"{len(ours)} screens, p50; p99 {slow:.2f} ms; against twelve searches in the text"
    found = statistics.median(ours), statistics.median(theirs)
    return Figure("detect", "a screen is read", *found, "ms", 1, note)


def recordings(cli: str) -> Iterator[Screen]:
    """Yield the recorded screens of a CLI."""
    folder = _PLUGINS / f"clawtap-{cli}" / "tests" / "recordings"
    yield from (recording.screen for recording in Recording.load_all(folder))


def _next_frame(screen: Screen, number: int) -> Screen:
    """Return the screen with another first row, as a clock or a spinner would leave it."""
    return replace(screen, captured=(f"frame {number}", *screen.captured[1:]), revision=number)


def _read(adapter: Adapter, screen: Screen) -> None:
    adapter.detect_prompt(screen)
    adapter.detect_state(screen, None)


def _search(text: str) -> None:
    for pattern in _PATTERNS:
        pattern.search(text)


def _timed(work: Callable[..., None], *arguments: Any) -> float:
    before = time.process_time_ns()
    work(*arguments)
    return (time.process_time_ns() - before) / 1e6


def _unlimited(seconds: float, function: Callable[[], T], *, computing: float | None = None) -> T:
    return function()
