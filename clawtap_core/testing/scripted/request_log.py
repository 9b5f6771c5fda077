"""What a CLI sent to the scripted model, in order: the proof of what was delivered."""

from __future__ import annotations

import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

# For how many seconds a scenario waits for a CLI: on a busy machine it takes its time.
PATIENCE = 45.0


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
    def messages(self, request: Request) -> list[Mapping[str, Any]]:
        """The conversation in a request, oldest first."""

    @abstractmethod
    def user_text(self, message: Mapping[str, Any]) -> str:
        """What the user says in a message, without what the CLI adds in the user's name."""

    @abstractmethod
    def function_responses(self) -> list[Mapping[str, Any]]:
        """The outcomes of the model's calls, in order."""

    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""
        lasts = (self.messages(request)[-1:] for request in self.main())
        return [text for last in lasts for message in last if (text := self.user_text(message))]

    def times_said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""
        last = [self.messages(request) for request in self.main()[-1:]]
        return sum(self.user_text(message).count(text) for sent in last for message in sent)

    def wait(self, holds: Callable[[RequestLog], Any], seconds: float = PATIENCE) -> bool:
        """Wait until something holds; False when it does not in time."""
        with self._changed:
            return bool(self._changed.wait_for(lambda: holds(self), seconds))


class CallLog(RequestLog):
    """A log of an API in which every call has an id of its own."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path)
        self._old: set[str] = set()

    @abstractmethod
    def outcomes(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
        """Yield the id and the outcome of each call that has ended."""

    def begin(self) -> None:
        """Start a new chapter: what came before is not listed again."""
        self._old |= self._outcomes().keys()
        super().begin()

    def function_responses(self) -> list[Mapping[str, Any]]:
        """The outcomes of the model's calls, each once, in order.

        What is before the user's words in the chapter's first request belongs to the chapter
        before: the outcomes of an interrupted turn are sent along with the next message.
        """
        first = next((self.messages(request) for request in self.main()), [])
        said = max((at for at, message in enumerate(first) if self.user_text(message)), default=0)
        old = self._old | dict(self.outcomes(first[:said])).keys()
        return [{"response": out} for call, out in self._outcomes().items() if call not in old]

    def _outcomes(self) -> dict[str, Any]:
        requests = self.main()
        return dict(pair for request in requests for pair in self.outcomes(self.messages(request)))
