"""A scenario: what the scripted model says, turn by turn.

A turn is a string (a text), or an object of this form, as it is in a scenario file:

    {"parts": [{"thought": "**Subject** body"}, {"text": "hi"}, {"text": "long", "split": 3},
               {"call": {"name": "run_shell_command", "args": {"command": "ls"}}}],
     "delay": 0.5,        seconds before the first chunk
     "chunk_delay": 0.1,  seconds between chunks
     "hold": true,        wait until the model is released
     "stall": 2.0,        seconds between the last part and the end
     "to": "count files", only for the agent whose task says this
     "status": 429, "error": {...}, "headers": {...},   an HTTP error in place of parts
     "finish": "STOP"}
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model answers to one request of the agent."""

    parts: tuple[Mapping[str, Any], ...] = ()
    delay: float = 0.0
    chunk_delay: float = 0.0
    hold: bool = False
    stall: float = 0.0
    to: str = ""
    status: int | None = None
    error: Mapping[str, Any] | None = None
    headers: Mapping[str, str] | None = None
    finish: str = "STOP"

    @classmethod
    def of(cls, turn: str | Mapping[str, Any] | Turn) -> Turn:
        """A turn as it is in a scenario."""
        if isinstance(turn, Turn):
            return turn
        if isinstance(turn, str):
            return cls(({"text": turn},))
        return cls(**{**turn, "parts": tuple(turn.get("parts", ()))})

    def pieces(self) -> Iterator[Mapping[str, Any]]:
        """The parts, long texts cut into their chunks."""
        for part in self.parts:
            size = part.get("split")
            if "text" in part and size:
                text = part["text"]
                yield from ({"text": text[at : at + size]} for at in range(0, len(text), size))
            else:
                yield part


class Script:
    """The turns still to come; after the last one the model says that it is done."""

    def __init__(self, turns: Iterable[str | Mapping[str, Any] | Turn] = ()) -> None:
        self._turns = [Turn.of(turn) for turn in turns]
        self._lock = threading.Lock()
        self._repeat: Turn | None = None
        self._spoken = 0

    def replace(
        self, turns: Iterable[str | Mapping[str, Any] | Turn], *, repeat_last: bool = False
    ) -> None:
        """Replace the remaining turns by these."""
        with self._lock:
            self._turns = [Turn.of(turn) for turn in turns]
            self._repeat = self._turns[-1] if repeat_last and self._turns else None

    def next(self, task: str = "") -> Turn:
        """Return the next turn of the agent that has this task: agents work at the same time."""
        with self._lock:
            self._spoken += 1
            mine = [turn for turn in self._turns if turn.to and turn.to in task]
            for turn in mine or [turn for turn in self._turns if not turn.to]:
                self._turns.remove(turn)
                return turn
            return self._repeat or Turn.of(f"SCENARIO DONE {self._spoken}")
