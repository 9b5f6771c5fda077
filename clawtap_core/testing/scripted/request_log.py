"""What a CLI sent to the scripted model, in order: the proof of what was delivered."""

from __future__ import annotations

import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 45.0
"""For how many seconds a scenario waits for a CLI: on a busy machine it takes its time."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `kind`: "main" for the agent's own loop, else the method's name."""

    kind: str
    model: str = ""
    path: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)
    at: float = field(default_factory=time.time)


class RequestLog(ABC):
    """Every request so far; `begin` opens a chapter, which is what the questions are about."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._requests: list[Request] = []
        self._changed = threading.Condition()
        self._first = 0

    def add(self, request: Request) -> None:
        """Note a request."""
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
            if self._path:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(request)) + "\n")

    def begin(self) -> None:
        """Start a new chapter: what came before is not listed again."""
        with self._changed:
            self._first = len(self._requests)

    def chapter(self) -> list[Request]:
        """The requests of this chapter."""
        with self._changed:
            return self._requests[self._first :]

    def main(self) -> list[Request]:
        """The requests of the agent's own loop."""
        return [request for request in self.chapter() if request.kind == "main"]

    @abstractmethod
    def function_responses(self) -> list[Mapping[str, Any]]:
        """What came of the model's calls, in order."""

    @abstractmethod
    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""

    @abstractmethod
    def times_said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""

    def wait(self, holds: Callable[[RequestLog], Any], seconds: float = PATIENCE) -> bool:
        """Wait until something holds; False when it does not in time."""
        with self._changed:
            return bool(self._changed.wait_for(lambda: holds(self), seconds))
