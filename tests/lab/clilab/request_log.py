"""What a CLI sent to the scripted model, in order: the proof of what was delivered."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 45.0
"""For how many seconds a scenario waits for a CLI: on a busy machine it takes its time."""
# What the CLI puts before the first message of a session.
_OWN = re.compile(r"<session_context>.*?</session_context>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `kind`: "main" for the agent's own loop, else the method's name."""

    kind: str
    model: str = ""
    path: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)
    at: float = field(default_factory=time.time)


class RequestLog:
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

    def function_responses(self) -> list[Mapping[str, Any]]:
        """What came of the model's calls, in order.

        What the chapter's first request tells belongs to the one before: a CLI keeps the outcome
        of a cancelled call back until the next message.
        """
        reported = [list(_news(request)) for request in self.main()]
        return [
            response
            for at, news in enumerate(reported[1:], 1)
            if reported[at - 1] != news
            for response in news
        ]

    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""
        lasts = (_contents(request)[-1:] for request in self.main())
        texts = ["".join(_texts(last[0])) for last in lasts if last and last[0]["role"] == "user"]
        return [said for text in texts if (said := _OWN.sub("", text))]

    def said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""
        main = self.main()
        users = [said for said in _contents(main[-1]) if said["role"] == "user"] if main else []
        return sum("".join(_texts(said)).count(text) for said in users)

    def wait(self, holds: Callable[[RequestLog], Any], seconds: float = PATIENCE) -> bool:
        """Wait until something holds; False when it does not in time."""
        with self._changed:
            return bool(self._changed.wait_for(lambda: holds(self), seconds))


def _news(request: Request) -> Iterator[Mapping[str, Any]]:
    """The outcomes of calls that came after the model's last words."""
    for said in reversed(_contents(request)):
        if said["role"] == "model":
            return
        yield from (
            part["functionResponse"] for part in said["parts"] if "functionResponse" in part
        )


def _contents(request: Request) -> list[Mapping[str, Any]]:
    return list(request.body.get("contents") or ())


def _texts(said: Mapping[str, Any]) -> Iterator[str]:
    return (part["text"] for part in said.get("parts", ()) if part.get("text"))
